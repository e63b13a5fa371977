// A run by family and agent: each cell shows the complete share or the mean score, and the number of tasks.
import { html } from "./html.mjs";
import { Marks, marksInWords } from "./marks.mjs";
import { address, go } from "./route.mjs";
import { count, plain, score } from "./words.mjs";

const WAYS = {
  "": { words: "complete", of: (cell) => cell.share, said: (cell) => `${Math.round(100 * cell.share)} %`, beside: (cell) => `${cell.complete} of ${cell.tasks}` },
  score: { words: "score", of: (cell) => cell.score, said: (cell) => score(cell.score), beside: (cell) => count(cell.tasks, "task") },
};

function Way({ by, choose }) {
  return html`<fieldset class="axis-choice"><legend class="hidden">What the cells show</legend>${Object.entries(WAYS).map(([name, way]) => html`<label><input type="radio" name="way"
    checked=${by === name} onChange=${() => choose(name)} /><span>${way.words}</span></label>`)}</fieldset>`;
}

function Cell({ cell, way, link, current, marks }) {
  const ungraded = cell.ungraded ? `, ${cell.ungraded} not graded` : "";
  if (!cell.tasks && !cell.ungraded) return html`<span class="cell waiting" title="no such task is finished">–</span>`;
  const value = way.of(cell), told = value === null ? "–" : way.said(cell), beside = value === null ? "not graded" : way.beside(cell);
  return html`<a class="cell ${value === null ? "without" : ""}" href=${link} aria-current=${current ? "true" : undefined} style=${{ "--share": value ?? 0 }}><span><span
    class="hidden">${cell.agent}, ${plain(cell.family)}: </span>${told}</span><span class="beside"><span class="hidden"> ${way.words}, </span>${beside}<span
    class="hidden">${ungraded}${marksInWords(marks)}</span></span></a>`;
}

/** `by` is "" for the complete share, "score" for the mean score; `agent` and `family` name the opened cell. */
export function HeatMap({ overview, by, agent, family }) {
  const known = Object.hasOwn(WAYS, by) ? by : "", way = WAYS[known];
  const cells = new Map(overview.cells.map((cell) => [`${cell.family} ${cell.agent}`, cell]));
  const place = (values) => address("overview", overview.run, { by: known, ...values });
  return html`<section aria-label="Families and agents"><div class="split wrap"><h2>Families and agents</h2>
      <${Way} by=${known} choose=${(next) => go("overview", overview.run, { by: next, agent, family })} /></div>
    <div class="wide" tabindex="0" role="group" aria-label="Families and agents, cells"><table class="heat"><thead><tr><th scope="col">Family</th>${overview.agents.map((name) => html`<th
      scope="col">${name} <${Marks} marks=${overview.marks[name] ?? []} /></th>`)}</tr></thead>
      <tbody>${overview.families.map((name) => html`<tr key=${name}><th scope="row">${plain(name)}</th>${overview.agents.map((worker) => html`<td><${Cell} cell=${cells.get(`${name} ${worker}`)}
        way=${way} marks=${overview.marks[worker] ?? []} current=${agent === worker && family === name} link=${place({ agent: worker, family: name })} /></td>`)}</tr>`)}</tbody></table></div>
    <p class="quiet small">${known ? "The mean score of the graded tasks, and their number." : "The share of graded tasks that are complete: every checkpoint passed, no harm."} A cell opens its tasks.</p></section>`;
}
