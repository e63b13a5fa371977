// The day's timeline above the panes: the score still possible, tasks and meetings, a mark for each call, the
// slider, the hours. All share one axis, so that marks above each other are at the same moment.
import { callsAxis, timeAxis } from "./axis.mjs";
import { FlagMarks } from "./flags.mjs";
import { html, signal, useMemo } from "./html.mjs";
import { Legend } from "./legend.mjs";
import { clock, hue } from "./words.mjs";
import { WorthLabel, WorthLine } from "./worth_line.mjs";

const WIDE = 1000;
const percent = (place) => `${100 * place}%`;

/** The axis of the timelines on every page, "time" or "calls", until the user chooses the other. */
const chosenAxis = signal("time");

/** The position of the shown step, and its duration. */
function Cursor({ axis, step }) {
  const from = axis.at(step ?? 0);
  return html`<i class="lasts" aria-hidden="true" style=${{ left: percent(from), width: percent(axis.until(step ?? 0) - from) }}></i>
    <i class="cursor" aria-hidden="true" style=${{ left: percent(from) }}></i>`;
}

/** A mark where each call began; on the time axis also its duration. */
function Ticks({ calls, found, axis }) {
  const groups = new Map(), spans = new Map();
  const add = (to, name, path) => to.set(name, `${to.get(name) ?? ""}${path}`);
  for (const call of calls) {
    const name = call.ok ? hue(call.app) : "failed", from = WIDE * axis.at(call.step), to = WIDE * axis.until(call.step);
    add(groups, name, `M${from} ${call.ok ? 5 : 0}V18`);
    if (to > from) add(spans, name, `M${from} 8V15H${to}V8Z`);
  }
  const marks = found ? [...found].map((step) => `M${WIDE * axis.at(step)} 19V24`).join("") : "";
  return html`<svg class="ticks" viewBox="0 0 ${WIDE} 24" preserveAspectRatio="none" aria-hidden="true">
    ${[...spans].map(([name, path]) => html`<path class="lasted ${name}" d=${path} />`)}
    ${[...groups].map(([name, path]) => html`<path class=${name} d=${path} vector-effect="non-scaling-stroke" />`)}
    ${marks && html`<path class="found" d=${marks} vector-effect="non-scaling-stroke" />`}
  </svg>`;
}

function Hours({ axis }) {
  return html`<div class="hours" aria-hidden="true">${axis.hours.map((hour) => html`<span style=${{ left: percent(hour.at) }}>${hour.words}</span>`)}</div>`;
}

function Lane({ from, to, marks, kind, title }) {
  return html`<div class="lane ${kind}" title=${title}>
    <i style=${{ left: percent(from), width: `max(3px, ${percent(to - from)})` }}></i>
    ${marks.map((place) => html`<b style=${{ left: percent(place) }}></b>`)}
  </div>`;
}

function kindOf(result) {
  if (!result || result.score == null) return "open";
  return result.success ? "done" : result.score > 0 ? "part" : "none";
}

function Meetings({ meetings, axis }) {
  if (!meetings.length) return null;
  return html`<div class="lane-label"><b class="app-calendar"><i class="dot"></i></b>
      <span>${meetings.length > 1 ? `${meetings.length} meetings` : meetings[0].title}</span></div>
    <div class="lane">${meetings.map((meeting) => html`<i class=${meeting.cancelled ? "off" : meeting.attended ? "went" : "missed"}
      style=${{ left: percent(axis.of(meeting.starts)), width: `max(3px, ${percent(axis.of(meeting.ends) - axis.of(meeting.starts))})` }}
      title="${meeting.title}, ${clock(meeting.starts)} to ${clock(meeting.ends)}${meeting.attended ? ", attended" : ""}">
        </i>`)}</div>`;
}

function Lanes({ axis, timeline, results, meetings }) {
  const state = Object.fromEntries(results.map((task) => [task.task, task]));
  const tasks = timeline.tasks.map((task) => html`
    <div class="lane-label" title=${task.title}><b>${task.task}</b><span>${task.title}</span><span class="due">${clock(task.deadline)}</span></div>
    <${Lane} from=${axis.of(task.given)} to=${axis.of(task.deadline)} kind=${kindOf(state[task.task])}
      marks=${task.submitted.map(axis.of)}
      title="${task.title}: given ${clock(task.given)}, due ${clock(task.deadline)}${task.submitted.length ? `, handed in ${task.submitted.map(clock).join(", ")}` : ""}" />`);
  return html`${tasks}<${Meetings} meetings=${meetings} axis=${axis} />`;
}

const MANY = 8;

/** The lanes below their heading, in a box that scrolls if there are many. */
function LaneBox(given) {
  const many = given.timeline.tasks.length > MANY;
  const scrolls = many ? { tabIndex: 0, role: "group", "aria-label": "Tasks" } : {};
  return html`<div class="lane-label lane-head"><span>Task</span><span class="due">Due</span></div><div></div>
    <div class="lanes ${many ? "many" : ""}" ...${scrolls}><${Lanes} ...${given} /></div>`;
}

/** The slider: keys move it by steps, a pointer moves it to the nearest step. */
function Track({ calls, step, axis, label, said, choose, ticks, flags }) {
  const to = (event) => {
    const box = event.currentTarget.querySelector(".ticks").getBoundingClientRect();
    choose(axis.stepAt(Math.max(0, Math.min(1, (event.clientX - box.left) / box.width))));
  };
  const begin = (event) => {
    if (event.button) return;
    event.currentTarget.setPointerCapture(event.pointerId);
    event.currentTarget.querySelector("input").focus({ preventScroll: true });
    event.preventDefault();
    to(event);
  };
  const go = (event) => { if (event.currentTarget.hasPointerCapture(event.pointerId)) to(event); };
  return html`<div class="track" onPointerDown=${begin} onPointerMove=${go}>
    ${ticks}<${FlagMarks} flags=${flags} axis=${axis} /><div class="cursor-box"><${Cursor} axis=${axis} step=${step} /></div>
    <input type="range" min="0" max=${calls.length} value=${step} aria-label=${label} aria-valuetext=${said}
      onInput=${(event) => choose(Number(event.currentTarget.value))} />
  </div>`;
}

function AxisChoice() {
  const choice = (name, words) => html`<label><input type="radio" name="axis" value=${name} checked=${chosenAxis.value === name}
    onChange=${() => { chosenAxis.value = name; }} /><span>${words}</span></label>`;
  return html`<fieldset class="axis-choice"><legend class="hidden">Axis of the timeline</legend>${choice("time", "by time")}${choice("calls", "by call")}</fieldset>`;
}

/** The chosen axis, which covers the whole day. */
function useAxis(calls, facts, timeline) {
  const kind = chosenAxis.value;
  return useMemo(() => {
    if (kind === "calls") return callsAxis(calls, facts.day_starts);
    const times = timeline ? timeline.tasks.map((task) => task.deadline) : [];
    return timeAxis(calls, facts.day_starts, facts.day_ends, times);
  }, [kind, calls, facts.day_starts, timeline]);
}

/** The timeline of the day of `facts`. `choose(step)` is called as the slider moves, `curve` has the worth of
 * the steps, `flags` are people's flags, and `children` are drawn below the legend. */
export function Timeline({ calls, step, facts, timeline, found, flags, curve, choose, label = "Step", children }) {
  const starts = facts.day_starts, results = facts.tasks, axis = useAxis(calls, facts, timeline);
  const call = calls[step - 1];
  const said = call ? `Step ${step} of ${calls.length}, ${clock(call.until)}, ${call.tool}` : `Morning, ${clock(starts)}`;
  const meetings = useMemo(() => timeline?.meetings.filter((meeting) => axis.of(meeting.starts) < 1) ?? [], [timeline, axis]);
  // None of these depends on the step, so that a step redraws only the slider.
  const lanes = useMemo(() => timeline
    && html`<${LaneBox} axis=${axis} timeline=${timeline} results=${results} meetings=${meetings} />`, [axis, timeline, results, meetings]);
  const ticks = useMemo(() => html`<${Ticks} calls=${calls} found=${found} axis=${axis} />`, [calls, found, axis]);
  const hours = useMemo(() => html`<${Hours} axis=${axis} />`, [axis]);
  const line = useMemo(() => curve && html`<${WorthLine} curve=${curve} axis=${axis} choose=${choose} />`, [curve, axis]);
  const legend = useMemo(() => html`<${Legend} calls=${calls} timeline=${timeline} meetings=${meetings} curve=${curve} flagged=${flags?.length > 0} />`, [calls, timeline, meetings, curve, flags]);
  return html`<div class="timeline">
    ${curve && html`<${WorthLabel} curve=${curve} step=${step} />`}
    ${line && html`<div class="worth-box">${line}<${Cursor} axis=${axis} step=${step} /></div>`}
    ${lanes}
    <div class="lane-label"><span>Calls</span></div>
    <${Track} calls=${calls} step=${step} axis=${axis} label=${label} said=${said} choose=${choose} ticks=${ticks} flags=${flags?.filter((flag) => flag.step <= calls.length)} />
    <div class="lane-label"></div>
    ${hours}
    <div class="legend-row">${legend}<${AxisChoice} /></div>
    ${children}
  </div>`;
}
