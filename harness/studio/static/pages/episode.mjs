// An episode, past or live: the timeline with its slider, the calls, the shown app, the call's details.
// The controls of a live episode (guidance, approvals) have a separate column beside the call.
import { html, useEffect, useRef, useState } from "../parts/html.mjs";
import { served } from "../parts/api.mjs";
import { AppPane } from "../parts/app_pane.mjs";
import { CallDetails } from "../parts/call_details.mjs";
import { CallList } from "../parts/call_list.mjs";
import { Episode } from "../parts/episode_model.mjs";
import { StepFlag } from "../parts/flags.mjs";
import { Fork } from "../parts/fork.mjs";
import { Guidance } from "../parts/guidance_model.mjs";
import { GivenGuidance, GuidancePane } from "../parts/guidance.mjs";
import { HonestDay } from "../parts/honest_day.mjs";
import { useHighlight } from "../parts/highlight.mjs";
import { JumpButtons } from "../parts/jumps.mjs";
import { Marks } from "../parts/marks.mjs";
import { Missed } from "../parts/missed.mjs";
import { Failed, Loading } from "../parts/notes.mjs";
import { PlayButton, Player } from "../parts/player.mjs";
import { Asking, Pips, TaskResults } from "../parts/results.mjs";
import { address, note, route } from "../parts/route.mjs";
import { Timeline } from "../parts/timeline.mjs";
import { clock, count, dayOf, plain, score } from "../parts/words.mjs";
import { StepCost, WorthSteps } from "../parts/worth_steps.mjs";

const TYPING = "input[type=search], input[type=text], textarea, select, [contenteditable]";

/** Keys that work everywhere on the page except while typing. */
function useKeys(episode, player) {
  useEffect(() => {
    const letters = {
      b: () => episode.goToOrigin(), p: () => player.toggle(), n: (by) => episode.goToFound(by),
      f: (by) => episode.jumps.go("failed", by), c: (by) => episode.jumps.go("costly", by),
      g: (by) => episode.jumps.go("flagged", by),
    };
    const pressed = (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.(TYPING)) return;
      if (event.key === "/") { event.preventDefault(); episode.focusSearch?.(); return; }
      if (event.target.closest?.("[role=grid]")) return;
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (by) { event.preventDefault(); episode.move(by, event.shiftKey); }
      else if (event.key === "Home" || event.key === "End") {
        event.preventDefault();
        episode.goTo(event.key === "Home" ? 0 : episode.calls.value.length);
      } else if (Object.hasOwn(letters, event.key.toLowerCase())) letters[event.key.toLowerCase()](event.shiftKey ? -1 : 1);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [episode]);
}

/** The result of the day, or that it is still running. */
function Outcome({ episode }) {
  const facts = episode.facts.value;
  const graded = facts.tasks.filter((task) => task.success).length;
  if (facts.state !== "done" && facts.state !== "broken") {
    if (!served) return html`<div class="outcome"><span class="tag">not graded</span></div>`;
    return html`<div class="outcome"><span class="tag live">live</span> <label class="follow"><input type="checkbox" checked=${episode.live.value}
      onChange=${(event) => { if (event.currentTarget.checked) episode.goTo(episode.calls.value.length); else episode.live.value = false; }} /> Follow live</label></div>`;
  }
  if (facts.staged) return html`<div class="outcome"><b class="score">${score(facts.score)}</b> <${Pips} tasks=${facts.tasks} /><span class="quiet small">honest work, by the studio</span></div>`;
  return html`<div class="outcome"><b class="score">${score(facts.score)}</b> <${Marks} marks=${facts.marks} /> <${Pips} tasks=${facts.tasks} />
    <span class="quiet small">${facts.error ? html`<span
      class="bad">${facts.error}</span>` : `${graded} of ${count(facts.tasks.length, "task")} complete · ended: ${plain(facts.ended)}`}</span></div>`;
}

/** Whether the conversation with a model is recorded and available. */
function hasConversation(facts) { return served && facts.model !== "" && facts.state === "done"; }

function Who({ facts }) {
  if (facts.staged) return html`<div class="who"><p class="over"><a href=${address("office", facts.staged.office, { task: facts.staged.task })}>Office ${facts.staged.company}</a></p>
    <h1>${facts.name} <span class="quiet">${facts.staged.words}</span></h1>${facts.staged.why && html`<p class="small">${facts.staged.why}</p>`}${facts.staged.failures.map((failure) => html`<p class="warning small">Honest work failed: ${failure}</p>`)}</div>`;
  return html`<div class="who"><p class="over"><a href=${address("runs", facts.run)}>${facts.run_name}</a></p>
    <h1>${facts.agent || facts.name} ${facts.agent && html`<span
      class="quiet">${facts.scenario} · ${plain(facts.day)}${facts.attempt > 1 ? ` · attempt ${facts.attempt}` : ""}</span>`}</h1>
      ${facts.forked_from && html`<p class="quiet small">continues from step ${facts.forked_from.step} of ${facts.forked_from.episode} in ${facts.forked_from.run}; never counted among whole days</p>`}
      </div>`;
}

function Head({ episode, player }) {
  const facts = episode.facts.value, call = episode.calls.value[episode.step.value - 1];
  const recorded = served && !facts.staged;
  const [copied, setCopied] = useState(false);
  const link = async () => {
    const at = { step: episode.step.value, app: episode.app.value, item: episode.item.value };
    await navigator.clipboard.writeText(`${location.href.split("#")[0]}${address("episode", episode.key, at)}`);
    setCopied(true);
    setTimeout(() => setCopied(false), 1500);
  };
  const now = call ? call.until : facts.day_starts;
  return html`<div class="episode-head">
    <${Outcome} episode=${episode} />
    <${Who} facts=${facts} />
    <p class="clock" aria-label="Simulated time"><b>${clock(now)}</b><span class="quiet small">${dayOf(now)}</span></p>
    <div class="acts"><div class="buttons" role="group" aria-label="Steps">
      <button onClick=${() => episode.move(-1)} aria-label="Step back" title="Step back (←)">←</button>
      <span class="step-count">${episode.step.value} of ${episode.calls.value.length}</span>
      <button onClick=${() => episode.move(1)} aria-label="Step forward" title="Step forward (→)">→</button>
      <${PlayButton} player=${player} />
      <${JumpButtons} jumps=${episode.jumps} />
    </div>
    <div class="buttons" role="group" aria-label="This episode">
      ${recorded && html`<${Fork} episode=${episode} />`}
      ${navigator.clipboard && html`<button onClick=${link}>${copied ? "Copied" : "Copy link"}</button>`}
      ${hasConversation(facts) && html`<a class="button" href=${address("conversation", episode.key, { step: episode.step.value || "" })}>Conversation</a>`}
      ${recorded && html`<a class="button" href=${address("compare", "", { a: episode.key, step: episode.step.value })}>Compare</a>`}
    </div></div>
  </div>`;
}

function Keys() {
  return html`<details class="fold keys"><summary>Keys</summary><p class="small quiet">
    <kbd>←</kbd> <kbd>→</kbd> a step · <kbd>Shift</kbd> with them: a call of the same app ·
    <kbd>Home</kbd> <kbd>End</kbd> morning, last step · <kbd>p</kbd> play, pause · <kbd>f</kbd> next failed call ·
    <kbd>c</kbd> next costly call · <kbd>g</kbd> next flag · <kbd>/</kbd> search · <kbd>n</kbd> next call found · <kbd>Shift</kbd> with these four: backwards ·
    <kbd>b</kbd> back to what changed the opened item</p>
      </details>`;
}

export function EpisodePage({ id }) {
  const [episode] = useState(() => new Episode(id, route.peek().query, true));
  const [player] = useState(() => new Player(episode));
  const [guidance] = useState(() => new Guidance(id));
  useEffect(() => () => { player.close(); episode.close(); guidance.close(); }, [episode]);
  useKeys(episode, player);
  const panes = useRef(null);
  const { facts, calls, step, timeline, worth, found, error, details, app, item, live } = episode;
  const asked = route.value.query;
  useEffect(() => { // the user followed a link to another step of this episode
    const wanted = Number.parseInt(asked.step, 10);
    if (facts.value && !Number.isNaN(wanted) && wanted !== step.peek()) episode.goTo(wanted);
    if (facts.value && asked.app && (asked.app !== app.peek() || (asked.item ?? "") !== item.peek())) episode.open(asked.app, asked.item ?? "");
  }, [route.value]);
  const at = step.value;
  useEffect(() => {
    if (at !== null && !live.value) note("episode", id, { step: at, app: episode.follow.value ? "" : app.value, item: episode.follow.value ? "" : item.value });
  }, [at, app.value, item.value, live.value, episode.follow.value]);
  useHighlight(panes, episode.search.value, at, facts.value !== null);
  if (!facts.value) return error.value ? html`<${Failed} error=${error.value} />` : html`<${Loading} what="Opening the day" />`;
  return html`<div class="episode">
    <${Head} episode=${episode} player=${player} />
    <section class="panel-band" aria-label="Timeline">
      <${Timeline} calls=${calls.value} step=${at} facts=${facts.value} timeline=${timeline.value}
        found=${found.value} flags=${episode.flags.all.value} curve=${worth.curve.value} choose=${episode.choose}><div class="why"><${WorthSteps} worth=${worth} episode=${id} step=${at} />
          <${Missed} tasks=${facts.value.tasks} curve=${worth.curve.value} episode=${id} step=${at} /></div><//>
    </section>
    ${error.value && html`<${Failed} error=${error.value} />`}
    <div ref=${panes} class="columns ${guidance.attended.value ? "guided" : ""}">
      <${CallList} episode=${episode} />
      <${AppPane} episode=${episode} />
      ${guidance.attended.value && html`<${GuidancePane} guidance=${guidance} choose=${(step) => episode.goTo(step)} />`}
      <${CallDetails} details=${details.value} old=${episode.detailsAreOld.value} starts=${facts.value.day_starts} open=${(name, item) => episode.open(name, item)}
        conversation=${hasConversation(facts.value) ? (turn) => address("conversation", id, { turn }) : null}
        flag=${(call) => !facts.value.staged && html`<${StepFlag} flags=${episode.flags} call=${call} />`}
        cost=${html`<${StepCost} curve=${worth.curve.value} step=${at} />`} />
    </div>
    ${!guidance.attended.value && guidance.given.value.length > 0 && html`<details class="fold band"><summary>Guidance by a person</summary>
      <${GivenGuidance} given=${guidance.given.value} choose=${(step) => episode.goTo(step)} /></details>`}
    ${facts.value.tasks.length > 0 && html`<details class="fold band"><summary>Tasks and checkpoints</summary>
      <${Asking} provenance=${facts.value.provenance} />
      <${TaskResults} tasks=${facts.value.tasks} provenance=${facts.value.provenance} episode=${id} /></details>`}
    ${served && facts.value.tasks.length > 0 && html`<${HonestDay} id=${id} />`}
    <${Keys} />
  </div>`;
}
