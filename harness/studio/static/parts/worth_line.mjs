// What could still be reached after every step, as a falling line above the steps. What the steps cost
// is drawn as drops; dots lead to them, and the list below says the same in words.
import { html } from "./html.mjs";
import { stepOf } from "./worth_model.mjs";
import { score } from "./words.mjs";

/** The plateaus between the drops: `M from value H to`, of those that are exact or not. */
function plateaus(points, exact) {
  let path = "", open = false;
  for (let n = 0; n < points.length - 1; n++) {
    if (points[n].exact !== exact) { open = false; continue; }
    const goesOn = open && points[n].value === points[n - 1].value;
    path += goesOn ? `H${n + 1}` : `M${n} ${1 - points[n].value}H${n + 1}`;
    open = true;
  }
  return path;
}

function drops({ points, end }) {
  const last = points.length - 1;
  const values = [...points.map((point) => point.value), end];
  return values.slice(1).map((value, n) => (value < values[n] ? `M${Math.min(n + 1, last)} ${1 - values[n]}V${1 - value}` : "")).join("");
}

/** The line over `steps` steps, its height standing for values from 0 to 1. */
export function WorthLine({ curve, steps, choose }) {
  const { points, losses, end } = curve;
  const total = Math.max(1, steps), harm = points.findIndex((point) => point.harmed.length);
  const under = `M0 1V${1 - points[0].value}${points.slice(1).map((p, n) => `H${n + 1}V${1 - p.value}`).join("")}V1Z`;
  const place = (loss) => ({ left: `${(100 * Math.min(total, stepOf(loss, curve))) / total}%`, top: `${100 * (1 - loss.value)}%` });
  const said = `The score that was still possible: ${score(points[0].value)} in the morning, ${score(end)} at the end`;
  return html`<div class="worth"><svg viewBox="0 0 ${total} 1" preserveAspectRatio="none" role="img" aria-label=${said}>
      <path class="under" d=${under} />
      ${harm >= 0 && html`<rect class="harmed" x=${harm} y="0.93" width=${total - harm} height="0.07"><title>From here on harm was done that cannot be undone</title></rect>`}
      <path class="exact" d=${plateaus(points, true)} vector-effect="non-scaling-stroke" />
      <path class="least" d=${plateaus(points, false)} vector-effect="non-scaling-stroke" />
      <path class="drop" d=${drops(curve)} vector-effect="non-scaling-stroke" /></svg>
    ${losses.map((loss) => html`<button class="loss ${loss.rank !== null && loss.rank < 3 ? "dear" : ""} ${loss.harmful ? "harmful" : ""}"
      tabindex="-1" aria-hidden="true" key=${loss.step ?? "end"} style=${place(loss)} title=${`${loss.told}: ${loss.price}`}
      onClick=${() => choose(stepOf(loss, curve))}></button>`)}</div>`;
}

/** What could still be reached after a step, beside the line. */
export function WorthLabel({ curve, step }) {
  const point = curve.points[Math.min(step ?? 0, curve.points.length - 1)];
  const words = curve.overloaded ? "Worth still possible" : "Still possible";
  const of = curve.overloaded ? "The worth that can still be done, of the worth of the best day" : "The best score that was still possible after this step";
  return html`<div class="lane-label worth-label" title=${of}><span>${words}</span><b>${point.exact ? "" : "≥ "}${score(point.value)}</b></div>`;
}
