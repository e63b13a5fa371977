// The results of a day's tasks: each with its checkpoints and what was missed.
import { html } from "./html.mjs";
import { address } from "./route.mjs";
import { count, plain, score } from "./words.mjs";

function kindOf(task) { return task.score == null ? "off" : task.success ? "done" : task.score > 0 ? "part" : "none"; }

/** Whether and how a task was handed in, after a dot. */
export function handIn(task) {
  if (task.submitted) return task.sure == null ? " · handed in" : ` · handed in, ${task.sure} % sure`;
  return task.late_minutes == null ? " · never handed in" : ` · tried to hand in ${task.late_minutes} min late`;
}

export function Pips({ tasks }) {
  return html`<span class="pips" aria-hidden="true">${tasks.map((task) => html`<i class=${kindOf(task)}
    style=${{ "--share": `${100 * (task.score ?? 0)}%` }}></i>`)}</span>`;
}

const TOLD = { seen: "told at", stale: "only an earlier version, told at", unseen: "never told" };

/** The facts delivered with a task, each with the step that told it, if any. */
function DeliveredFacts({ task, facts, episode }) {
  return html`<div role="group" aria-label=${`Facts delivered in ${task}`}><h4>Facts delivered</h4><ul class="facts">${facts.map((fact) => html`<li class=${fact.origin}>${plain(fact.name)}: <span
    class="quiet">${TOLD[fact.origin]}${fact.step !== null && html` <a href=${address("episode", episode, { step: fact.step })}>step ${fact.step}</a>`}</span></li>`)}</ul></div>`;
}

/** How the agent asked colleagues on this day, in one line. */
export function Asking({ provenance }) {
  if (!provenance) return null;
  const asked = provenance.questions ? `${count(provenance.questions, "question")} asked, ${provenance.telling} of them told something needed` : "No question asked";
  return html`<p class="quiet small">${asked}${provenance.recall !== null && ` · ${Math.round(100 * provenance.recall)} % of the facts that colleagues tell were told`}</p>`;
}

export function TaskResults({ tasks, provenance, episode }) {
  return html`<div class="results">${tasks.map((task) => html`<article key=${task.task} class="result ${kindOf(task)}">
    <h3 class="split"><span>${task.task} · ${plain(task.family)}</span><span>${score(task.score)}</span></h3>
    <p class="quiet small">${task.rule}${handIn(task)}</p>
    ${task.error && html`<p class="warning small">${task.error}</p>`}
    <ul class="checks">${task.checkpoints.map((check) => html`<li class=${check.passed ? "yes" : "no"}><span
      class="hidden">${check.passed ? "passed: " : "missed: "}</span>${check.sentence}
      ${!check.passed && html`<span class="quiet small">${check.seen}</span>`}</li>`)}
      ${task.harm.map((text) => html`<li class="harm"><span class="hidden">harm: </span>${text}</li>`)}</ul>
    ${provenance?.tasks[task.task] && html`<${DeliveredFacts} task=${task.task} facts=${provenance.tasks[task.task]} episode=${episode} />`}
  </article>`)}</div>`;
}
