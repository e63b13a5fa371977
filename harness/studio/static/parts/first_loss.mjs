// The first step of a day that cost something, shown beside another day's.
import { html } from "./html.mjs";
import { Loss, WorthMissing } from "./worth_steps.mjs";
import { firstLoss, stepOf } from "./worth_model.mjs";

/** The first loss of an episode model; `show(step)` goes to it on the page. */
export function FirstLoss({ episode, name, show }) {
  const { worth } = episode, shown = worth.shown.value, curve = worth.curve.value;
  if (!shown) return html`<section class="first-loss" aria-label=${name}></section>`;
  const { agent, name: own } = episode.facts.value;
  const loss = curve && firstLoss(curve);
  const told = loss ? html`<${Loss} loss=${loss} curve=${curve} episode=${episode.key} />`
    : curve ? html`<span class="quiet">No step cost anything.</span>`
      : shown.state === "impossible" ? html`<span class="quiet">${shown.why}</span>` : html`<${WorthMissing} worth=${worth} />`;
  return html`<section class="first-loss" aria-label=${name}>
    <p class="split"><span class="quiet small"><b>${agent || own}</b> · first step that cost something</span>
      ${loss && html`<button onClick=${() => show(stepOf(loss, curve))} aria-label=${`${name}: go to it`}>Go to it</button>`}</p>
    ${told}</section>`;
}
