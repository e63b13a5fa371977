// The filters above the table of episodes: choices, and bounds for figures.
import { BOUNDED, bounds, different, isFiltered, joinBounds } from "./episode_rows.mjs";
import { Choice } from "./fields.mjs";
import { html, useState } from "./html.mjs";
import { plain } from "./words.mjs";

const WIDE = 760;
const MARKED = [["only", "only"], ["without", "without"]];

/** The value in the address is always an option, even if no episode has it. */
function Filter({ label, value, all, options, set }) {
  const given = options.some(([option]) => option === value) || !value ? options : [...options, [value, value]];
  return html`<${Choice} label=${label} value=${value} set=${set}><option value="">${all}</option>${given.map(([option, words]) => html`<option value=${option}>${words}</option>`)}<//>`;
}

function Bounds({ column, range, set }) {
  const [least, most] = bounds(range), name = column.unit ? `${column.title}, ${column.unit}` : column.title;
  const field = (value, words, join) => html`<input type="number" min="0" step=${column.step} value=${value} placeholder=${words}
    aria-label=${`${column.title} ${words}`} onInput=${(event) => { if (!event.currentTarget.validity.badInput) set(join(event.currentTarget.value)); }} />`;
  return html`<div class="choice bounds" role="group" aria-label=${column.title}><span>${name}</span><div>
    ${field(least, "from", (value) => joinBounds(value, most))}<i aria-hidden="true">–</i>${field(most, "to", (value) => joinBounds(least, value))}</div></div>`;
}

/** `set` takes the changed fields of `view` (see episode_rows.mjs). */
export function EpisodeFilters({ rows, view, set, clear }) {
  const [open] = useState(() => innerWidth >= WIDE || BOUNDED.some(({ id }) => view[id]));
  const same = (values) => values.map((value) => [value, value]);
  const choice = (name, label, all, options) => html`<${Filter} label=${label} value=${view[name]} all=${all} options=${options}
    set=${(value) => set({ [name]: value })} />`;
  return html`<div class="episode-filters" role="group" aria-label="Filters">
    <div class="filters">
      ${choice("run", "Run", "all runs", same(different(rows, (row) => row.path)))}
      ${choice("agent", "Agent", "all agents", same(different(rows, (row) => row.agent)))}
      ${choice("family", "Family", "all families", [...new Set(rows.flatMap((row) => row.families))].sort().map((family) => [family, plain(family)]))}
      ${choice("ending", "Ending", "all endings", different(rows, (row) => row.ending).map((ending) => [ending, plain(ending)]))}
      ${choice("complete", "Complete", "any", [["all", "all tasks"], ["some", "some tasks"], ["none", "no task"]])}
      ${choice("guided", "Guided", "with and without", MARKED)}
      ${choice("forked", "Forked", "with and without", MARKED)}
      <button disabled=${!isFiltered(view)} onClick=${clear}>Clear filters</button>
    </div>
    <details class="fold" open=${open}><summary>Filter by figures</summary><div class="filters">
      ${BOUNDED.map((column) => html`<${Bounds} key=${column.id} column=${column} range=${view[column.id]} set=${(range) => set({ [column.id]: range })} />`)}
    </div></details></div>`;
}
