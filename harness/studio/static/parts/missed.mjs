// The missed checkpoints of a day, beside the costly steps: each with what was seen, and the step that
// decided it.
import { html } from "./html.mjs";
import { handIn } from "./results.mjs";
import { address } from "./route.mjs";
import { count, plain, score } from "./words.mjs";

const WORDS = { "done": "decided at", "handed in": "decided at", "lost": "lost at" };

/** The step that decided a checkpoint, as a link, and a link to the hand-in that left it so. */
function Decided({ decision, episode, step }) {
  if (!decision) return null;
  const link = (to, words) => html`<a href=${address("episode", episode, { step: to })} aria-current=${to === step ? "step" : undefined}>${words}</a>`;
  const later = decision.handed_in !== null && decision.handed_in !== decision.step;
  return html`<span class="decided">${WORDS[decision.kind]} ${link(decision.step, decision.told)}${later
    && html`, and ${link(decision.handed_in, "handed in so")}`}</span>`;
}

function MissedTask({ task, decisions, episode, step }) {
  const missed = task.checkpoints.filter((check) => !check.passed);
  return html`<article key=${task.task}><h3>${task.task} · ${plain(task.family)} · ${score(task.score)}<span class="quiet">${handIn(task)}</span></h3>
    <ul class="checks">${missed.map((check) => html`<li class="no"><span class="hidden">missed: </span>${check.sentence} <span class="quiet">${check.seen}</span> <${Decided} episode=${episode} step=${step}
        decision=${decisions.find((decision) => decision.task === task.task && decision.checkpoint === check.sentence)} /></li>`)}
      ${task.harm.map((text) => html`<li class="harm"><span class="hidden">harm: </span>${text}</li>`)}</ul></article>`;
}

/** The checkpoints that the tasks of a day missed; `curve`, once known, says where they were decided. */
export function Missed({ tasks, curve, episode, step }) {
  const missed = tasks.filter((task) => task.score != null && (task.harm.length || task.checkpoints.some((check) => !check.passed)));
  if (!missed.length) return null;
  const checks = missed.flatMap((task) => task.checkpoints.filter((check) => !check.passed)).length;
  return html`<section class="missed" aria-label="Missed checkpoints"><h2>${checks ? count(checks, "missed checkpoint") : "Harm was done"}</h2>
    <div class="scroll" tabindex="0" role="group" aria-label="Missed checkpoints by task">${missed.map((task) => html`<${MissedTask} task=${task} decisions=${curve?.decisions ?? []}
      episode=${episode} step=${step} />`)}</div></section>`;
}
