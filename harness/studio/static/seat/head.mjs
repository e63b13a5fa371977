// Above the office: the clock, the day as a bar, steps, waiting, the end of the day.
import { html, useState } from "../parts/html.mjs";
import { clock, dayOf, minutes, plain } from "../parts/words.mjs";
import { CallButton } from "./calls.mjs";

function DayBar({ seat }) {
  const { now, day_starts: starts, day_ends: ends } = seat.state.value, { desk, calendar } = seat.known.value;
  const from = minutes(starts), total = minutes(ends) - from, at = (time) => 100 * Math.max(0, Math.min(1, (minutes(time) - from) / total));
  const hours = Array.from({ length: Math.floor(total / 60) + 1 }, (_, n) => n);
  const today = calendar.meetings.filter((meeting) => !meeting.cancelled && meeting.starts.slice(0, 10) === now.slice(0, 10));
  const due = new Map();
  for (const task of desk.tasks) due.set(task.deadline, [...(due.get(task.deadline) ?? []), task]);
  return html`<div class="day-bar" role="img" aria-label=${`The day runs from ${clock(starts)} to ${clock(ends)}; it is ${clock(now)}`}>
    <i class="passed" style=${{ width: `${at(now)}%` }}></i>
    ${today.map((meeting) => html`<i class="meets" title=${meeting.title} style=${{ left: `${at(meeting.starts)}%`, width: `${at(meeting.ends) - at(meeting.starts)}%` }}></i>`)}
    ${[...due].map(([time, tasks]) => html`<b class=${at(time) > 90 ? "late" : ""} title=${`due ${clock(time)}`}
      style=${{ left: `${at(time)}%` }}>${tasks.map((task) => html`<em class=${task.submitted ? "done" : ""}>${task.id}</em>`)}</b>`)}
    ${hours.map((n) => html`<span style=${{ left: `${(6000 * n) / total}%` }}>${clock(new Date((from + 60 * n) * 60000).toISOString())}</span>`)}
  </div>`;
}

/** "09:05" from "9:05", "905" or "0905", so that the browser's time format does not matter; other texts stay unchanged. */
function timeOf(typed) {
  const found = /^(\d{1,2})[:.]?(\d{2})$/.exec(typed.trim());
  return found ? `${found[1].padStart(2, "0")}:${found[2]}` : typed.trim();
}

/** Times that the person may want to wait for: meetings as soon as they can be attended, and full hours. */
function times(seat) {
  const { now, day_ends: ends, attend_early: early } = seat.state.value, at = minutes(now);
  const meetings = seat.known.value.calendar.meetings.filter((meeting) => !meeting.cancelled && !meeting.attended).map((meeting) => minutes(meeting.starts) - early);
  const hours = Array.from({ length: 24 }, (_, n) => (Math.floor(at / 60) + 1 + n) * 60);
  const found = [...new Set([...meetings, ...hours])].filter((time) => time > at && time <= minutes(ends)).sort((a, b) => a - b);
  return found.map((time) => new Date(time * 60000).toISOString().slice(11, 16));
}

function Wait({ seat }) {
  const [typed, setTyped] = useState(""), [wake, setWake] = useState(true), until = timeOf(typed);
  const { given, why } = seat.waiting(until, wake);
  const words = until ? `Wait until ${until}` : wake ? "Wait for news" : "Wait until the day ends";
  const reached = () => { if (until && !seat.waiting(until, wake).given) setTyped(""); };
  return html`<div class="row wait" role="group" aria-label="Wait">
    <label>Wait until <input type="text" class="time" inputmode="numeric" maxlength="5" placeholder="09:30" list="times" autocomplete="off" value=${typed} onInput=${(event) => setTyped(event.currentTarget.value)} /></label>
    <datalist id="times">${times(seat).map((time) => html`<option value=${time} />`)}</datalist>
    <label class="follow"><input type="checkbox" checked=${wake} onChange=${(event) => setWake(event.currentTarget.checked)} /> stop at news</label>
    <${CallButton} seat=${seat} tool="desk_wait" given=${given ?? {}} words=${words} disabled=${!given} done=${reached} />
    ${why && html`<span class="quiet small">${why}</span>`}</div>`;
}

export function SeatHead({ seat }) {
  const state = seat.state.value, last = seat.calls.value.at(-1);
  return html`<div class="seat-head">
    <div class="who"><p class="over">${state.person}${state.forked_from ? ` · continues from step ${state.forked_from.step}` : ""}</p><h1>${state.scenario} <span class="quiet">${plain(state.day)}</span></h1></div>
    <div><p class="clock" aria-label="Simulated time"><b>${clock(state.now)}</b><span class="quiet small">${dayOf(state.now)}</span></p>
      <p class="steps quiet small"><b>${state.steps_limit - state.steps}</b> of ${state.steps_limit} steps left</p></div>
    ${state.status === "working" && html`<${Wait} seat=${seat} />
      <${CallButton} seat=${seat} tool="desk_finish_day" words="Finish the day" />`}
    <${DayBar} seat=${seat} />
    <p class="hidden" role="status">${last ? `${last.tool} ${last.failed ? "failed" : "done"}, it is ${clock(last.until)}. ${last.notices.map((notice) => notice.text).join(" ")}` : ""}</p>
  </div>`;
}
