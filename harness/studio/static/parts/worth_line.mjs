// The value that could still be reached after every step, as a falling line. Costs are drawn as drops, with
// dots that lead to their steps; the list below describes them in words.
import { html } from "./html.mjs";
import { COSTLIEST, stepOf } from "./worth_model.mjs";
import { score } from "./words.mjs";

const WIDE = 1000;
const LABEL_ROOM = 0.06;

/** The plateaus between the drops: `M from value H to`, either the exact ones or the others. */
function plateaus(points, places, exact) {
  let path = "", open = false;
  for (let n = 0; n < points.length; n++) {
    if (points[n].exact !== exact) { open = false; continue; }
    const goesOn = open && points[n].value === points[n - 1].value;
    path += goesOn ? `H${places[n + 1]}` : `M${places[n]} ${1 - points[n].value}H${places[n + 1]}`;
    open = true;
  }
  return path;
}

function drops({ points, end }, places) {
  const values = [...points.map((point) => point.value), end];
  return values.slice(1).map((value, n) => (value < values[n] ? `M${places[n + 1]} ${1 - values[n]}V${1 - value}` : "")).join("");
}

/** The costliest steps to label with their cost, the costlier first, as far as the labels have room. */
function labelled(losses, placeOf) {
  const shown = [];
  for (const loss of losses.filter(({ rank, lost }) => rank !== null && rank < COSTLIEST && lost >= 0.005).sort((a, b) => a.rank - b.rank)) {
    if (shown.every((other) => Math.abs(placeOf(other) - placeOf(loss)) >= LABEL_ROOM)) shown.push(loss);
  }
  return shown;
}

/** The line along an axis; its height shows values from 0 to 1. */
export function WorthLine({ curve, axis, choose }) {
  const { points, losses, end } = curve;
  const places = [...points.map((_, step) => axis.at(step)), axis.until(points.length - 1)].map((at) => Math.round(100 * WIDE * at) / 100);
  const harm = points.findIndex((point) => point.harmed.length);
  const under = `M0 1V${1 - points[0].value}${points.slice(1).map((p, n) => `H${places[n + 1]}V${1 - p.value}`).join("")}H${places.at(-1)}V1Z`;
  const placeOf = (loss) => (loss.step === null ? axis.until(points.length - 1) : axis.at(loss.step));
  const place = (loss) => ({ left: `${100 * placeOf(loss)}%`, top: `${100 * (1 - loss.value)}%` });
  const said = `The score that was still possible: ${score(points[0].value)} in the morning, ${score(end)} at the end`;
  return html`<div class="worth"><svg viewBox="0 0 ${WIDE} 1" preserveAspectRatio="none" role="img" aria-label=${said}>
      <path class="under" d=${under} />
      ${harm >= 0 && html`<rect class="harmed" x=${places[harm]} y="0.95" width=${WIDE - places[harm]} height="0.05"><title>From here on, there is harm that cannot be undone</title></rect>`}
      <path class="exact" d=${plateaus(points, places, true)} vector-effect="non-scaling-stroke" />
      <path class="least" d=${plateaus(points, places, false)} vector-effect="non-scaling-stroke" />
      <path class="drop" d=${drops(curve, places)} vector-effect="non-scaling-stroke" /></svg>
    ${labelled(losses, placeOf).map((loss) => html`<span class="price ${placeOf(loss) > 0.1 ? "before" : "behind"}" aria-hidden="true"
      style=${{ left: `${100 * placeOf(loss)}%`, top: `${100 * (1 - loss.value - Math.min(loss.lost, 1) / 2)}%` }}>−${loss.lost.toFixed(2)}</span>`)}
    ${losses.map((loss) => html`<button class="loss ${loss.rank !== null && loss.rank < COSTLIEST ? "costly" : ""} ${loss.harmful ? "harmful" : ""}"
      tabindex="-1" aria-hidden="true" key=${loss.step ?? "end"} style=${place(loss)} title=${`${loss.told}: ${loss.price}`}
      onClick=${() => choose(stepOf(loss, curve))}></button>`)}</div>`;
}

/** The value that could still be reached after a step, beside the line. */
export function WorthLabel({ curve, step }) {
  const point = curve.points[Math.min(step ?? 0, curve.points.length - 1)];
  const words = curve.overloaded ? "Worth still possible" : "Still possible";
  const of = curve.overloaded ? "The worth that is still possible, as a share of the best day's worth" : "The best score that was still possible after this step";
  return html`<div class="lane-label worth-label" title=${of}><span>${words}</span><b>${point.exact ? "" : html`<span class="least-word">at least </span>`}${score(point.value)}</b></div>`;
}
