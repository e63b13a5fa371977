// Steps through the differences of two episodes; differences that changed the world come first.
import { html } from "./html.mjs";
import { APP_TITLES, count } from "./words.mjs";

/** The line of the difference after (1) or before (-1) the one at `line`; null if there is none. If `line` is
 * not a difference, the next one is the first of all. */
export function neighbour(differing, line, by) {
  const all = differing?.differences ?? [];
  const here = all.findIndex((difference) => difference.line === line);
  const next = here < 0 && by < 0 ? -1 : here + by;
  return all[next]?.line ?? null;
}

function changed(apps, side) {
  return apps.length ? [`on the ${side} ${apps.map((app) => APP_TITLES[app] ?? app).join(", ")}`] : [];
}

function said(differing, line) {
  const { differences: all, changing } = differing;
  if (!all.length) return "No differences";
  const here = all.findIndex((difference) => difference.line === line);
  if (here < 0) return `${count(all.length, "difference")}, of which ${changing} changed something`;
  const apps = [...changed(all[here].a, "left"), ...changed(all[here].b, "right")];
  const what = apps.length ? `changed ${apps.join(", ")}` : "changed nothing";
  return `Difference ${here + 1} of ${all.length}: ${what}`;
}

export function DifferenceSteps({ differing, line, choose }) {
  const before = neighbour(differing, line, -1), next = neighbour(differing, line, 1);
  return html`<div class="row difference-steps" role="group" aria-label="Differences">
    <span class="quiet small" role="status">${differing ? said(differing, line) : "Looking for changes …"}</span>
    <button disabled=${before === null} onClick=${() => choose(before)} title="The previous difference (p)">Previous</button>
    <button disabled=${next === null} onClick=${() => choose(next)} title="The next difference (n)">Next difference</button></div>`;
}
