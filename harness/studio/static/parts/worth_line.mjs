// What every step was worth, as a falling line above the steps. It is drawn from the JSON that
// `trainee-bench worth` stores (`EpisodeWorth`); while there is none, nothing is drawn. What is read
// of that JSON is read here and nowhere else.
import { html } from "./html.mjs";
import { score } from "./words.mjs";

/** `{ points: [{ step, value }], losses: [{ step, did, lost }] }` of the stored worth. */
export function worthOf(stored) {
  const points = Array.isArray(stored?.points) ? stored.points : [];
  const losses = Array.isArray(stored?.losses) ? stored.losses : [];
  return { points, losses: losses.filter((loss) => loss.step !== null) };
}

/** The line over `steps` steps, its height standing for values from 0 to 1; dots are steps that cost
 * something, and lead there. */
export function WorthLine({ stored, steps, choose }) {
  const { points, losses } = worthOf(stored);
  if (!points.length) return null;
  const path = points.map((p, n) => (n ? `H${p.step} V${1 - p.value}` : `M${p.step} ${1 - p.value}`)).join(" ");
  const valueAt = Object.fromEntries(points.map((p) => [p.step, p.value]));
  const place = (loss) => ({ left: `${(100 * loss.step) / Math.max(1, steps)}%`, top: `${100 * (1 - (valueAt[loss.step] ?? 0))}%` });
  return html`<div class="lane-label"><span>Best still possible</span></div>
    <div class="worth"><svg viewBox="0 0 ${Math.max(1, steps)} 1" preserveAspectRatio="none" role="img"
        aria-label=${`The score that was still possible: ${score(points[0].value)} in the morning, ${score(points.at(-1).value)} at the end`}>
        <path d=${`${path} H${steps}`} vector-effect="non-scaling-stroke" /></svg>
      ${losses.map((loss) => html`<button class="loss" key=${loss.step} style=${place(loss)} title=${loss.did}
        aria-label=${`Step ${loss.step} cost ${score(loss.lost)}: ${loss.did}`} onClick=${() => choose(loss.step)}></button>`)}
    </div>`;
}
