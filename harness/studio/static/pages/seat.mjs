// Take the seat: choose a day, then work it in the office. A person sees only the tools' answers to their
// calls; each button shows its cost; nothing refreshes by itself.
import { ask, post } from "../parts/api.mjs";
import { Choice, Field } from "../parts/fields.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Failed, Loading } from "../parts/notes.mjs";
import { address, go } from "../parts/route.mjs";
import { Tabs } from "../parts/tabs.mjs";
import { APP_TITLES, APPS, clock, count, hue, plain } from "../parts/words.mjs";
import { AfterDay } from "../seat/after.mjs";
import { Confirm, KnownPaths } from "../seat/calls.mjs";
import { SeatHead } from "../seat/head.mjs";
import { SeatTold } from "../seat/told.mjs";
import { Seat } from "../seat/model.mjs";
import { SeatMail } from "../seat/mail.mjs";
import { SeatCalendar } from "../seat/calendar.mjs";
import { SeatChat } from "../seat/chat.mjs";
import { SeatFiles } from "../seat/files.mjs";
import { SeatSheets } from "../seat/sheets.mjs";
import { SeatMonitor } from "../seat/monitor.mjs";
import { SeatDesk } from "../seat/desk.mjs";

const OFFICE = { mail: SeatMail, calendar: SeatCalendar, chat: SeatChat, files: SeatFiles, sheets: SeatSheets, monitor: SeatMonitor, desk: SeatDesk };

function Office({ seat }) {
  const app = seat.app.value, unread = seat.unread.value, now = seat.state.value.now;
  const offered = APPS.filter((name) => [...seat.tools.value.keys()].some((tool) => tool.startsWith(`${name}_`)));
  const tabs = [...offered].reverse().map((name) => ({ id: name, title: APP_TITLES[name], kind: hue(name), mark: unread[name] ?? "" }));
  const App = OFFICE[app];
  return html`<section class="pane app-pane office" aria-label="Office">
    <div class="pane-head"><${Tabs} tabs=${tabs} current=${app} choose=${(name) => seat.open(name)} label="Office" panel="office-panel" marked="new" /></div>
    <div class="panel" id="office-panel" role="tabpanel" aria-label=${APP_TITLES[app]}><h2 class="hidden">${APP_TITLES[app]}</h2>
      <${App} key=${app} seat=${seat} item=${seat.item(app)} changed=${{}} within=${[]} now=${now} select=${(item) => seat.open(app, item)} origin=${null} page=${{}} /></div>
  </section>`;
}

function Working({ id }) {
  const [seat] = useState(() => new Seat(id));
  const { state, error } = seat;
  if (!state.value) return error.value ? html`<${Failed} error=${error.value} />` : html`<${Loading} what="Opening the office" />`;
  if (state.value.status === "starting") return html`<${Loading} what="Preparing the next morning" />`;
  if (state.value.status === "broken") return html`<${Failed} error=${`The day broke: ${state.value.error}`} />`;
  return html`<div class="seat ${seat.working.value ? "" : "day-over"}">
    <${SeatHead} seat=${seat} />
    ${error.value && html`<${Failed} error=${error.value} />`}
    ${state.value.status !== "working" && html`<${AfterDay} seat=${seat} />`}
    <div class="seat-columns"><${Office} seat=${seat} /><${SeatTold} seat=${seat} /></div>
    <${Confirm} seat=${seat} /><${KnownPaths} seat=${seat} />
  </div>`;
}

function Day({ benchmark, scenario, day, take }) {
  return html`<li><button class="item day-choice" onClick=${() => take({ benchmark, scenario: scenario.name, day: day.number, seen: day.seen })}>
    <b>${scenario.name}</b><span class="quiet small">${[scenario.days.length > 1 || scenario.week ? plain(day.name) : "", count(day.tasks, "task")].filter(Boolean).join(" · ")}${day.seen ? " · seen" : ""}</span></button></li>`;
}

const STATUS = { starting: "about to begin", working: "at work", asked: "asked about the day", grading: "being graded", over: "over", broken: "broken" };

/** Seats of this studio, and days left unfinished when a studio or a terminal was closed. */
function Taken({ seats, left, resume }) {
  return html`${left.length > 0 && html`<h2>Days that were left</h2><p class="quiet small">The clock has not moved since. All answers are kept.</p>
      <ul class="list days-list">${left.map((day) => html`<li key=${day.episode}><button class="item day-choice" onClick=${() => resume(day.episode)}>
        <b>Go on with ${day.scenario}</b><span class="quiet small">${[day.person, day.at ? clock(day.at) : "", count(day.calls, "call"), day.run_name].filter(Boolean).join(" · ")}</span></button></li>`)}</ul>`}
    ${seats.length > 0 && html`<h2>Seats taken here</h2><ul class="chips">${seats.map((seat) => html`<li><a class="chip" href=${address("seat", seat.seat)}>${seat.scenario} <span
      class="quiet">${seat.person} · ${STATUS[seat.status]}</span></a></li>`)}</ul>`}`;
}

function Choose() {
  const [choices, setChoices] = useState(null), [taken, setTaken] = useState({ seats: [], left: [] }), [error, setError] = useState("");
  const [name, setName] = useState(""), [person, setPerson] = useState(""), [busy, setBusy] = useState(false);
  useEffect(() => {
    Promise.all([ask("/api/seats/choices"), ask("/api/seats")]).then(([found, listed]) => {
      setChoices(found.benchmarks); setName(found.benchmarks[0].name); setTaken(listed);
    }, (failed) => setError(failed.message));
  }, []);
  const sit = async (path, wish) => {
    if (busy) return;
    setBusy(true);
    try { go("seat", (await post(path, wish)).seat); } catch (failed) { setError(failed.message); }
    setBusy(false);
  };
  const take = (wish) => sit("/api/seats", { ...wish, person }), resume = (episode) => sit("/api/seats/resume", { episode });
  if (!choices) return error ? html`<${Failed} error=${error} />` : html`<${Loading} what="Looking for days" />`;
  const chosen = choices.find((choice) => choice.name === name);
  return html`<section class="choose-seat" aria-label="Take the seat"><h1>Take the seat</h1>
    <p class="lead">Work a day yourself, under the same rules as agents.</p>
    <ul class="rules"><li>Every request to the office is one tool call and takes the minutes shown on its button.</li>
      <li>Nothing refreshes by itself. Everything you have seen stays visible.</li><li>You get your score when the day is over. Your day is then a run like any other.</li></ul>
    ${error && html`<${Failed} error=${error} />`}
    <${Taken} ...${taken} resume=${resume} />
    <div class="filters"><${Choice} label="Benchmark" value=${name} set=${setName}>${choices.map((choice) => html`<option>${choice.name}</option>`)}<//>
      <${Field} label="Your id in the results (optional)"><input type="text" value=${person} maxlength="32" pattern="[A-Za-z0-9_\\-]*" autocomplete="off"
        onInput=${(event) => setPerson(event.currentTarget.value)} /><//></div>
    <h2>Choose a day</h2>
    <ul class="list days-list">${chosen.scenarios.flatMap((scenario) => scenario.days.map((day) => html`<${Day} key=${`${scenario.name} ${day.number}`}
      benchmark=${chosen.name} scenario=${scenario} day=${day} take=${take} />`))}</ul>
    <p class="quiet small">To practise, take a day of the quickstart. Days that this studio has shown in a run are marked as seen, and so is your result on them.</p>
  </section>`;
}

export function SeatPage({ id }) { return id === "" ? html`<${Choose} />` : html`<${Working} id=${id} />`; }
