// Episodes: all episodes of all runs as one table, sorted and filtered by the address, with their mean above it.
import { ask } from "../parts/api.mjs";
import { EpisodeFilters } from "../parts/episode_filters.mjs";
import { COLUMNS, direction, duration, filtered, meanOf, money, readRows, readView, saidEnding, sorted, turned, whole } from "../parts/episode_rows.mjs";
import { html, useEffect, useLayoutEffect, useMemo, useState } from "../parts/html.mjs";
import { Marks } from "../parts/marks.mjs";
import { Empty, Failed, Loading } from "../parts/notes.mjs";
import { address, note, route } from "../parts/route.mjs";
import { useWindow } from "../parts/rows.mjs";
import { RunViews } from "../parts/run_views.mjs";
import { count, score } from "../parts/words.mjs";

const HEIGHT = 32, SOONEST = 2000, SHARE = 20; // wait at least 20 times the last answer's duration before asking again
const MOVING = ["running", "waiting"];

function Mean({ rows }) {
  const { complete, whole: days, score: mean, withBroken, counted, agents, runs, broken, leftOut } = useMemo(() => meanOf(rows), [rows]);
  const share = days ? `${Math.round(100 * complete / days)} %` : "–";
  return html`<div class="mean" role="group" aria-label="Mean">
    <dl><div><dt>Days complete</dt><dd>${share} <span class="quiet small">${complete} of ${days}</span></dd></div>
      <div><dt>Score</dt><dd>${score(mean)}</dd></div><div><dt>Score, broken as 0</dt><dd>${score(withBroken)}</dd></div></dl>
    <p class="quiet small">The mean over ${count(counted, "episode")} of ${count(agents, "agent")} in ${count(runs, "run")}${broken > 0 ? `, ${broken} of them broken` : ""}.${leftOut.length > 0 && html` <span
      class="left-out-of-mean">Left out of it: ${leftOut.map(([number, why]) => `${number.toLocaleString("en")} ${why}`).join(", ")}.</span>`}</p></div>`;
}

/** The name of an episode, as a link to its page if it has one. */
function Name({ row }) {
  const words = html`${row.name}${row.worker && html`<span class="hidden">, ${row.worker}</span>`}`;
  if (row.state === "left") return html`<a href=${address("seat")} title="A person left this day; continue it on the page Seat.">${words}</a>`;
  return row.taken || row.state === "waiting" ? words : html`<a href=${address("episode", row.episode)}>${words}</a>`;
}

function Row({ row, place }) {
  const mark = (name) => row[name] && html`<${Marks} marks=${[name]} />`;
  return html`<tr aria-rowindex=${place + 2}>
    <th scope="row" title=${row.name}><${Name} row=${row} /></th>
    <td title=${row.worker}>${row.worker}</td>
    <td class="number">${row.complete === null ? "–" : html`${row.success && html`<i class="ok"><span class="hidden">all complete: </span><span aria-hidden="true">✓ </span></i>`}${row.complete} of ${row.tasks}`}</td>
    <td class="number"><span class="tint ${row.score === null ? "without" : ""}" style=${{ "--share": row.score ?? 0 }}>${score(row.score)}</span></td>
    <td>${mark("guided")}</td><td>${mark("forked")}</td><td title=${saidEnding(row)}>${saidEnding(row)}</td>
    <td class="number">${whole(row.steps)}</td><td class="number">${whole(row.tokens)}</td>
    <td class="number">${money(row.cost_usd)}</td><td class="number">${duration(row.seconds)}</td><td class="quiet" title=${row.path}>${row.path}</td></tr>`;
}

function Head({ column, sort, turn }) {
  const way = direction(sort, column);
  return html`<th scope="col" aria-sort=${way} class=${column.text || ["guided", "forked"].includes(column.id) ? "" : "number"}><button class="plain" onClick=${() => turn(turned(sort, column))}>${column.title}<i
    aria-hidden="true">${{ ascending: " ↑", descending: " ↓", none: "" }[way]}</i></button></th>`;
}

/** The table; it draws only the visible rows, in a box with the height of all rows. */
function Table({ rows, view, set }) {
  const { box, first, last, scroll } = useWindow(rows.length, HEIGHT);
  const asked = JSON.stringify(view);
  useLayoutEffect(() => { box.current.scrollTop = 0; }, [asked]);
  const drawn = rows.slice(first, last).map((row, n) => html`<${Row} key=${row.episode} row=${row} place=${first + n} />`);
  return html`<div class="episode-box" ref=${box} onScroll=${scroll} tabindex="0" role="group" aria-label="Episodes">
    <div class="rows-all" role="presentation" style=${{ height: `${(rows.length + 1) * HEIGHT}px`, paddingTop: `${first * HEIGHT}px` }}>
      <table class="episode-table" aria-label="Episodes" aria-rowcount=${rows.length + 1}>
        <colgroup>${COLUMNS.map(({ id }) => html`<col class="of-${id}" />`)}</colgroup>
        <thead><tr aria-rowindex="1">${COLUMNS.map((column) => html`<${Head} key=${column.id} column=${column} sort=${view.sort} turn=${(sort) => set({ sort })} />`)}</tr></thead>
        <tbody>${drawn}</tbody></table></div></div>`;
}

function Episodes({ table, rows }) {
  const [view, setView] = useState(() => readView(route.value.query));
  useEffect(() => setView(readView(route.value.query)), [route.value]);
  const change = (next) => { setView(next); note("episodes", "", next); };
  const set = (values) => change({ ...view, ...values });
  const ordered = useMemo(() => sorted(rows, view.sort), [rows, view.sort]);
  const shown = useMemo(() => filtered(ordered, view), [ordered, JSON.stringify(view)]);
  return html`<${EpisodeFilters} rows=${rows} view=${view} set=${set} clear=${() => change({ ...readView({}), sort: view.sort })} />
    ${table.flaws.map((flaw) => html`<p class="warning small">${flaw.path}: ${flaw.error}</p>`)}
    <div class="mean-row"><${Mean} rows=${shown} /><p class="quiet small" role="status">${shown.length < rows.length ? `${shown.length.toLocaleString("en")} of ` : ""}${count(rows.length, "episode")}</p></div>
    ${shown.length ? html`<${Table} rows=${shown} view=${view} set=${set} />` : html`<${Empty}>${rows.length ? "No episode matches these filters." : "There are no episodes yet."}<//>`}`;
}

export function EpisodesPage() {
  const [table, setTable] = useState(null), [error, setError] = useState("");
  const rows = useMemo(() => (table ? readRows(table) : []), [table]);
  useEffect(() => {
    const stop = new AbortController();
    const load = async () => {
      try {
        const began = performance.now(), found = await ask("/api/episodes", stop.signal);
        setTable(found);
        const state = found.fields.indexOf("state");
        if (found.rows.some((row) => MOVING.includes(row[state]))) setTimeout(() => { if (!stop.signal.aborted) load(); }, Math.max(SOONEST, SHARE * (performance.now() - began)));
      } catch (failed) { if (!stop.signal.aborted) setError(failed.message); }
    };
    load();
    return () => stop.abort();
  }, []);
  return html`<div class="episodes-page"><${RunViews} current="episodes" /><h1>Episodes</h1>
    ${error ? html`<${Failed} error=${error} />` : table ? html`<${Episodes} table=${table} rows=${rows} />` : html`<${Loading} what="Reading the episodes" />`}</div>`;
}
