// The day above everything else: tasks and meetings, a tick for each step, the slider, the hours. All
// of it is drawn over steps, so that what stands above each other happened at the same step.
import { html, useMemo } from "./html.mjs";
import { clock, dayOf, hue, minutes } from "./words.mjs";
import { WorthLabel, WorthLine } from "./worth_line.mjs";

/** How far a time lies along the steps: 2.5 is in the middle of the third call. */
export function placeOf(time, calls, starts) {
  const at = minutes(time);
  let low = 0, high = calls.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (minutes(calls[middle].until) <= at) low = middle + 1; else high = middle;
  }
  if (low >= calls.length) return calls.length;
  const from = low ? minutes(calls[low - 1].until) : minutes(starts), to = minutes(calls[low].until);
  return low + Math.max(0, Math.min(1, to > from ? (at - from) / (to - from) : 0));
}

function Ticks({ calls, found }) {
  const groups = new Map();
  for (const call of calls) {
    const name = call.ok ? hue(call.app) : "failed";
    groups.set(name, `${groups.get(name) ?? ""}M${call.step} ${call.ok ? 5 : 0}V18`);
  }
  const marks = found ? [...found].map((step) => `M${step} 19V24`).join("") : "";
  return html`<svg class="ticks" viewBox="0 0 ${Math.max(1, calls.length)} 24" preserveAspectRatio="none" aria-hidden="true">
    ${[...groups].map(([name, path]) => html`<path class=${name} d=${path} vector-effect="non-scaling-stroke" />`)}
    ${marks && html`<path class="found" d=${marks} vector-effect="non-scaling-stroke" />`}
  </svg>`;
}

function Hours({ calls, starts }) {
  if (!calls.length) return null;
  const shown = [];
  let last = -1, day = starts.slice(0, 10);
  const end = minutes(calls[calls.length - 1].until);
  for (let at = Math.ceil(minutes(starts) / 60) * 60; at <= end; at += 60) {
    const time = new Date(at * 60000).toISOString().slice(0, 19);
    const place = (100 * placeOf(time, calls, starts)) / calls.length;
    if (place - last < 5 && last >= 0) continue;
    last = place;
    const another = time.slice(0, 10) !== day;
    day = time.slice(0, 10);
    shown.push(html`<span style=${{ left: `${place}%` }}>${another ? dayOf(time).slice(0, 3) : ""} ${clock(time)}</span>`);
  }
  return html`<div class="hours" aria-hidden="true">${shown}</div>`;
}

function Lane({ span, from, to, total, marks, kind, title }) {
  const percent = (place) => `${(100 * place) / total}%`;
  return html`<div class="lane ${kind}" title=${title}>
    <i style=${{ left: percent(from), width: `max(3px, ${percent(to - from)})` }}></i>
    ${marks.map((place) => html`<b style=${{ left: percent(place) }}></b>`)}
  </div>`;
}

function Lanes({ calls, starts, timeline, results }) {
  const total = Math.max(1, calls.length);
  const place = (time) => placeOf(time, calls, starts);
  const state = Object.fromEntries(results.map((task) => [task.task, task]));
  const kindOf = (task) => {
    const result = state[task.task];
    if (!result || result.score == null) return "open";
    return result.success ? "done" : result.score > 0 ? "part" : "none";
  };
  const tasks = timeline.tasks.map((task) => html`
    <div class="lane-label"><b>${task.task}</b><span>${task.title}</span><span class="due">${clock(task.deadline)}</span></div>
    <${Lane} total=${total} from=${place(task.given)} to=${place(task.deadline)} kind=${kindOf(task)}
      marks=${task.submitted.map(place)}
      title="${task.title}: given ${clock(task.given)}, due ${clock(task.deadline)}${task.submitted.length ? `, handed in ${task.submitted.map(clock).join(", ")}` : ""}" />`);
  const meetings = timeline.meetings.filter((meeting) => place(meeting.starts) < total);
  const percent = (part) => `${(100 * part) / total}%`;
  return html`${tasks}${meetings.length > 0 && html`
    <div class="lane-label"><b class="app-calendar"><i class="dot"></i></b>
      <span>${meetings.length > 1 ? `${meetings.length} meetings` : meetings[0].title}</span></div>
    <div class="lane">${meetings.map((meeting) => html`<i class=${meeting.cancelled ? "off" : meeting.attended ? "went" : "missed"}
      style=${{ left: percent(place(meeting.starts)), width: `max(3px, ${percent(place(meeting.ends) - place(meeting.starts))})` }}
      title="${meeting.title}, ${clock(meeting.starts)} to ${clock(meeting.ends)}${meeting.attended ? ", attended" : ""}">
        </i>`)}</div>`}`;
}

const MANY = 8;

/** The lanes, in a box that scrolls if there are many. */
function LaneBox(given) {
  const many = given.timeline.tasks.length > MANY;
  const scrolls = many ? { tabIndex: 0, role: "group", "aria-label": "Tasks" } : {};
  return html`<div class="lanes ${many ? "many" : ""}" ...${scrolls}><${Lanes} ...${given} /></div>`;
}

/** The timeline; `choose(step)` is called as the slider moves, `curve` has what steps were worth, and
 * `children` stand below the hours. */
export function Timeline({ calls, step, starts, timeline, results, found, curve, choose, label = "Step", children }) {
  const call = calls[step - 1];
  const said = call ? `Step ${step} of ${calls.length}, ${clock(call.until)}, ${call.tool}` : `Morning, ${clock(starts)}`;
  // None of these depends on the step, so that a step draws the slider alone.
  const lanes = useMemo(() => timeline
    && html`<${LaneBox} calls=${calls} starts=${starts} timeline=${timeline} results=${results} />`, [calls, starts, timeline, results]);
  const ticks = useMemo(() => html`<${Ticks} calls=${calls} found=${found} />`, [calls, found]);
  const hours = useMemo(() => html`<${Hours} calls=${calls} starts=${starts} />`, [calls, starts]);
  const line = useMemo(() => curve && html`<${WorthLine} curve=${curve} steps=${calls.length} choose=${choose} />`, [curve, calls]);
  return html`<div class="timeline">
    ${curve && html`<${WorthLabel} curve=${curve} step=${step} />`}${line}
    ${lanes}
    <div class="lane-label"><span>Calls</span></div>
    <div class="track">
      ${ticks}
      <input type="range" min="0" max=${calls.length} value=${step} aria-label=${label} aria-valuetext=${said}
        onInput=${(event) => choose(Number(event.currentTarget.value))} />
    </div>
    <div class="lane-label"></div>
    ${hours}
    ${children}
  </div>`;
}
