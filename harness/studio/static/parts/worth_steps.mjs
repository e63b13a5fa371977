// The costly steps in words, the costliest first; without stored values, how to compute them.
import { html } from "./html.mjs";
import { address } from "./route.mjs";
import { COSTLIEST, ranked, stepOf } from "./worth_model.mjs";


/** A costly step: a link to it, and its cost. */
export function Loss({ loss, curve, episode, current }) {
  return html`<span class="loss-line ${loss.harmful ? "harmful" : ""}"><a href=${address("episode", episode, { step: stepOf(loss, curve) })}
    aria-current=${current ? "step" : undefined}>${loss.told}</a> <span class="quiet">${loss.price}</span></span>`;
}

function Losses({ losses, curve, episode, step }) {
  return html`<ol>${losses.map((loss) => html`<li key=${loss.step ?? "end"}><${Loss} loss=${loss} curve=${curve} episode=${episode}
    current=${stepOf(loss, curve) === step} /></li>`)}</ol>`;
}

/** The cost of a step, beside its call: in words, and the checkpoints that could no longer be met. */
export function StepCost({ curve, step }) {
  const losses = step ? curve?.losses.filter((loss) => stepOf(loss, curve) === step) : null;
  const decided = step ? curve?.decisions.filter((decision) => decision.step === step) ?? [] : [];
  return html`${losses?.length > 0 && html`<h3>What it cost</h3>${losses.map((loss) => html`<div class="step-cost" key=${loss.step ?? "end"}>
    <p>${loss.step === null && "The end of the work: "}${loss.price}</p>
    <ul class="checks">${loss.tasks.flatMap((task) => task.checkpoints.map((check) => html`<li class="no"><b>${task.task}</b> ${check}</li>`))}</ul></div>`)}`}
    ${decided.length > 0 && html`<h3>Decided here</h3><div class="step-cost"><ul class="checks">${decided.map((decision) => html`<li
      class="no"><b>${decision.task}</b> ${decision.checkpoint}</li>`)}</ul></div>`}`;
}

/** Notes on values that may be too low, and on the meaning of values on overloaded days. */
function Cautions({ curve }) {
  const said = [...curve.cautions];
  if (curve.points.some((point) => !point.exact)) said.unshift("Where the line is dashed, at least this much was possible.");
  if (curve.overloaded) said.unshift("Not everything could be done on this day. So a value is the worth that was still possible, divided by the worth of the best choice of tasks.");
  return said.length > 0 && html`<details class="fold"><summary>How to read the values</summary>${said.map((text) => html`<p class="quiet small">${text}</p>`)}</details>`;
}

function Costliest({ curve, episode, step }) {
  const first = ranked(curve).slice(0, COSTLIEST), others = curve.losses.filter((loss) => !first.includes(loss));
  const list = (losses) => html`<${Losses} losses=${losses} curve=${curve} episode=${episode} step=${step} />`;
  return html`${first.length ? list(first) : html`<p class="quiet small">No step cost anything.</p>`}
    <div class="worth-folds">${others.length > 0 && html`<details class="fold"><summary>${others.length} more</summary>${list(others)}</details>`}
      <${Cautions} curve=${curve} /></div>`;
}

/** Shown without stored values: the reason, and the two ways to compute them. */
export function WorthMissing({ worth }) {
  const { why, command, job, state } = worth.shown.value;
  if (worth.runs.value) {
    const share = Math.round(100 * job.share);
    return html`<div class="worth-missing"><span role="status">Oracles are finishing copies of the day to find the costly steps</span>
      <span class="progress" role="progressbar" aria-label="Steps with a value" aria-valuenow=${share} aria-valuemin="0"
        aria-valuemax="100"><i style=${{ width: `${share}%` }}></i></span><button onClick=${() => worth.stop()}>Stop</button></div>`;
  }
  const failed = worth.error.value || job?.error;
  return html`<div class="worth-missing">${failed ? html`<span class="warning small" role="alert">${failed}</span>`
      : html`<span class=${state === "unusable" ? "warning small" : ""}>${why}</span>`}
    <button onClick=${() => worth.compute()}>${state === "unusable" ? "Compute it again" : "Compute it"}</button>
    <span class="or">or in a terminal <code>${command}</code></span></div>`;
}

/** The costliest steps of a day, or why they are unknown. */
export function WorthSteps({ worth, episode, step }) {
  const shown = worth.shown.value, curve = worth.curve.value;
  if (!shown || shown.state === "impossible") return null;
  return html`<section class="worth-steps" aria-label="What each step was worth"><h2>${curve ? "Costliest steps" : "Worth of steps"}</h2>
    ${curve ? html`<${Costliest} curve=${curve} episode=${episode} step=${step} />` : html`<${WorthMissing} worth=${worth} />`}</section>`;
}
