// The desk: tasks with the time left, and the notebook.
import { html } from "../parts/html.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";
import { clock, lasting, minutes, when } from "../parts/words.mjs";

function Left({ task, now, at }) {
  if (task.submitted) return html`<span class="tag done">handed in${at ? ` ${clock(at)}` : ""}</span>`;
  if (minutes(task.deadline) <= minutes(now)) return html`<span class="tag none">closed ${when(task.deadline, now)}</span>`;
  const tight = minutes(task.deadline) - minutes(now) <= 60;
  return html`<span class="tag ${tight ? "part" : ""}">${lasting(now, task.deadline)} left</span>`;
}

function Task({ task, view, open, changed, origin, select, act }) {
  const now = view.clock.now;
  return html`<article class="card ${changed ?? ""}" aria-current=${open}>
    <div class="split"><h3><button class="plain" onClick=${() => select(task.id)}>${task.id} · ${task.title}</button></h3>
      <${Left} task=${task} now=${now} at=${view.submitted_at?.[task.id]} /></div>
    <p class="quiet small">Due ${when(task.deadline, now)}${task.worth ? ` · worth ${task.worth}` : ""}${open && origin
      ? html` · <${OriginButton} origin=${origin} />` : ""}</p>
    ${task.objective && html`<pre class="text">${task.objective}</pre>`}
    ${task.assignments.length > 0 && html`<h4>Heard in meetings</h4><ul
      class="bullets">${task.assignments.map((text) => html`<li>${text}</li>`)}</ul>`}
    ${act?.(task)}
  </article>`;
}

export function Desk({ view, item, changed, select, origin, actions = {} }) {
  return html`<div class="app desk">
    <p class="quiet pad-side">${clock(view.clock.now)} · the day runs from ${clock(view.clock.day_starts)} to ${clock(view.clock.day_ends)}${view.more_until ? ` · further tasks may come until ${when(view.more_until, view.clock.now)}` : ""}</p>
    ${actions.side}
    ${view.tasks.length ? view.tasks.map((task) => html`<${Task} key=${task.id} task=${task} view=${view} open=${task.id === item}
      changed=${changed[task.id]} origin=${origin} select=${select} act=${actions.task} />`)
      : !actions.side && html`<${Empty}>No task has been given yet.<//>`}
    ${view.notes.length > 0 && html`<h3 class="pad-side">Notes</h3>${view.notes.map((note) => html`<article key=${note.id}
      class="card note ${changed[`note-${note.id}`] ?? ""}">
      <p class="quiet small">${note.id} · ${when(note.at, view.clock.now)}</p><pre class="text">${note.text}</pre></article>`)}`}
    ${actions.main}
  </div>`;
}
