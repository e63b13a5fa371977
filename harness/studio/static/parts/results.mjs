// What a day's tasks came to: each with its checkpoints, and with what was missed.
import { html } from "./html.mjs";
import { plain, score } from "./words.mjs";

function kindOf(task) { return task.score == null ? "off" : task.success ? "done" : task.score > 0 ? "part" : "none"; }

/** Whether and how a task was handed in, after a dot. */
export function handIn(task) {
  if (task.submitted) return " · handed in";
  return task.late_minutes == null ? " · never handed in" : ` · tried to hand in ${task.late_minutes} min late`;
}

export function Pips({ tasks }) {
  return html`<span class="pips" aria-hidden="true">${tasks.map((task) => html`<i class=${kindOf(task)}
    style=${{ "--share": `${100 * (task.score ?? 0)}%` }}></i>`)}</span>`;
}

export function TaskResults({ tasks }) {
  return html`<div class="results">${tasks.map((task) => html`<article key=${task.task} class="result ${kindOf(task)}">
    <h3 class="split"><span>${task.task} · ${plain(task.family)}</span><span>${score(task.score)}</span></h3>
    <p class="quiet small">${task.rule}${handIn(task)}</p>
    ${task.error && html`<p class="warning small">${task.error}</p>`}
    <ul class="checks">${task.checkpoints.map((one) => html`<li class=${one.passed ? "yes" : "no"}><span
      class="hidden">${one.passed ? "passed: " : "missed: "}</span>${one.sentence}
      ${!one.passed && html`<span class="quiet small">${one.seen}</span>`}</li>`)}
      ${task.harm.map((text) => html`<li class="harm"><span class="hidden">harm: </span>${text}</li>`)}</ul>
  </article>`)}</div>`;
}
