// What every step was worth, as a falling line above the steps. It is drawn from the JSON that
// `trainee-bench worth` stores beside the run; while there is none, nothing is drawn. Whoever defines
// that JSON maps it here, in `worthPoints`, and nowhere else.
import { html } from "./html.mjs";

/** `[{ step, value }]`, from the morning (step 0) on, of the stored worth. */
export function worthPoints(stored) {
  const steps = Array.isArray(stored?.steps) ? stored.steps : [];
  return steps.filter((one) => Number.isFinite(one.step) && Number.isFinite(one.value));
}

/** The line over `steps` steps; its height stands for values from 0 to 1. */
export function WorthLine({ stored, steps }) {
  const points = worthPoints(stored);
  if (!points.length) return null;
  const path = points.map((p, n) => (n ? `H${p.step} V${1 - p.value}` : `M${p.step} ${1 - p.value}`)).join(" ");
  return html`<div class="lane-label"><span>Best still possible</span></div>
    <svg class="worth" viewBox="0 0 ${Math.max(1, steps)} 1" preserveAspectRatio="none" role="img"
      aria-label="The score that was still possible after each step">
      <path d=${`${path} H${steps}`} vector-effect="non-scaling-stroke" />
    </svg>`;
}
