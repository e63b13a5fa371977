// Runs: on the left all runs, on the right one of them as a table of scores with filters.
import { ask } from "../parts/api.mjs";
import { Choice } from "../parts/fields.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Marks, marksInWords } from "../parts/marks.mjs";
import { OpenFolder } from "../parts/open_folder.mjs";
import { Empty, Failed, Loading } from "../parts/notes.mjs";
import { address } from "../parts/route.mjs";
import { RunViews } from "../parts/run_views.mjs";
import { count, plain, score } from "../parts/words.mjs";

function RunsList({ runs, current, reload }) {
  const alike = (run) => runs.some((other) => other !== run && other.name === run.name);
  return html`<nav class="runs-list" aria-label="Runs"><h2>Runs</h2><ul class="list">${runs.map((run) => {
    const over = run.states.done + run.states.broken;
    const link = run.episode ? address("episode", run.episode) : address("runs", run.run);
    return html`<li key=${run.run}><a class="item" href=${link} aria-current=${run.run === current ? "true" : undefined}>
      <b title=${run.path}>${alike(run) ? run.path : run.name}</b>
      <span class="quiet small">${run.error ? html`<span class="bad">cannot be shown</span>` : run.episode ? "a single world file"
        : `${run.benchmark} · ${count(run.agents, "agent")} · ${over < run.episodes ? `${over} of ` : ""}${count(run.episodes, "episode")}`}</span>
      ${run.states.running > 0 && !run.episode && html`<span class="tag live">${run.states.running} running</span>`}
      ${run.states.left > 0 && html`<span class="tag">${run.states.left} left</span>`}</a></li>`;
  })}</ul><${OpenFolder} reload=${reload} /></nav>`;
}

/** The score that a cell shows under the filters: the mean over the remaining tasks, null if there are none. */
function shownScore(cell, family, checkpoint) {
  if (!family && !checkpoint) return cell.score;
  const tasks = cell.tasks.filter((task) => !family || task.family === family);
  if (checkpoint) {
    const passed = tasks.filter((task) => task.passed.includes(checkpoint)).length;
    const missed = tasks.filter((task) => task.missed.includes(checkpoint)).length;
    return passed + missed ? passed / (passed + missed) : null;
  }
  const graded = tasks.filter((task) => task.score !== null);
  return graded.length ? graded.reduce((sum, task) => sum + task.score, 0) / graded.length : null;
}

/** The same score, with ungraded tasks counted as 0. */
function shownWithBroken(cell, family, checkpoint) {
  if (!family && !checkpoint) return cell.broken_as_0;
  const tasks = cell.tasks.filter((task) => !family || task.family === family);
  const graded = tasks.filter((task) => task.score !== null).length;
  if (checkpoint || tasks.length === 0) return shownScore(cell, family, checkpoint);
  return (shownScore(cell, family, checkpoint) ?? 0) * graded / tasks.length;
}

function Cell({ cell, value, dim }) {
  const harm = cell.tasks.reduce((sum, task) => sum + task.harm, 0);
  const state = cell.state === "done" ? score(value) : cell.state;
  const said = `${cell.agent}, ${cell.scenario}, ${cell.day}: ${state}${marksInWords(cell.marks)}${cell.ended ? `, ended: ${plain(cell.ended)}` : ""}${harm ? ", with harm" : ""}`;
  if (cell.state === "left") return html`<a class="cell away" href=${address("seat")} title=${`${said}: a person left this day; continue it on the page Seat`} aria-label=${`${said}; go on with it`}>left</a>`;
  if (cell.taken) return html`<span class="cell running" title=${`${said}: a person is working it; it can be shown once the day is over`}>a person</span>`;
  if (cell.state === "waiting") return html`<span class="cell waiting" title=${said}>·</span>`;
  return html`<a class="cell ${cell.state} ${dim ? "dim" : ""} ${value === null ? "without" : ""}"
    href=${address("episode", cell.episode)} title=${said} aria-label=${said}
    style=${{ "--share": value ?? 0 }}>${state}${harm ? html`<i class="harm"
      aria-hidden="true">!</i>` : ""}${cell.success && value !== null ? html`<i class="ok" aria-hidden="true">✓</i>` : ""}${cell.marks.length > 0 && html`<span class="cell-marks"
      aria-hidden="true">${cell.marks.join(" ")}</span>`}</a>`;
}

function names(cells, pick) { return [...new Set(cells.flatMap(pick))].sort(); }

function Filter({ label, value, all, set, options }) {
  return html`<${Choice} label=${label} value=${value} set=${set}><option value="">${all}</option>${options.map((name) => html`<option value=${name}>${plain(name)}</option>`)}<//>`;
}

function Table({ run }) {
  const [family, setFamily] = useState(""), [checkpoint, setCheckpoint] = useState(""), [ended, setEnded] = useState("");
  const families = names(run.cells, (cell) => cell.tasks.map((task) => task.family));
  const checkpoints = names(run.cells, (cell) => cell.tasks.filter((task) => !family || task.family === family).flatMap((task) => [...task.passed, ...task.missed]));
  const endings = names(run.cells, (cell) => (cell.ended ? [cell.ended] : []));
  const known = checkpoints.includes(checkpoint) ? checkpoint : "";
  const value = (cell) => shownScore(cell, family, known);
  const at = new Map();
  for (const cell of run.cells) {
    const key = `${cell.scenario} ${cell.day} ${cell.agent}`;
    at.set(key, [...(at.get(key) ?? []), cell]);
  }
  const filtered = (cell) => !ended || cell.ended === ended;
  const days = run.days.filter(([scenario, day]) => run.cells.some((cell) => cell.scenario === scenario && cell.day === day && filtered(cell)
    && (!(family || known) || value(cell) !== null || cell.state !== "done")));
  const withBroken = (cell) => shownWithBroken(cell, family, known);
  const mean = (agent, of) => {
    const values = run.cells.filter((cell) => cell.agent === agent && filtered(cell)).map(of).filter((value) => value !== null);
    return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null;
  };
  const marksOf = (agent) => run.cells.filter((cell) => cell.agent === agent && filtered(cell)).flatMap((cell) => cell.marks);
  const complete = (agent) => {
    const over = run.cells.filter((cell) => cell.agent === agent && cell.state === "done" && filtered(cell));
    return `${over.filter((cell) => cell.success).length} of ${over.length}`;
  };
  return html`<section aria-label=${run.name}>
    <div class="split wrap"><div><p class="over">${run.benchmark}</p><h1>${run.name}</h1></div>
      <div class="filters" role="group" aria-label="Filters">
        <${Filter} label="Family" value=${family} all="all families" set=${setFamily} options=${families} />
        <${Filter} label="Checkpoint" value=${known} all="all checkpoints" set=${setCheckpoint} options=${checkpoints} />
        <${Filter} label="Ending" value=${ended} all="all endings" set=${setEnded} options=${endings} />
      </div></div>
    ${days.length === 0 ? html`<${Empty}>No episode matches these filters.<//>` : html`<div class="wide" tabindex="0" role="group"
      aria-label="Scores"><table class="heat">
      <thead><tr><th scope="col">Day</th>${run.agents.map((agent) => html`<th scope="col">${agent}</th>`)}</tr></thead>
      <tbody>${days.map(([scenario, day]) => html`<tr key=${`${scenario} ${day}`}><th scope="row">${scenario} <span
        class="quiet">${day}</span></th>
        ${run.agents.map((agent) => html`<td>${(at.get(`${scenario} ${day} ${agent}`) ?? []).map((cell) => html`<${Cell}
          key=${cell.episode} cell=${cell} value=${value(cell)} dim=${!filtered(cell)} />`)}</td>`)}</tr>`)}</tbody>
      <tfoot><tr><th scope="row">Mean</th>${run.agents.map((agent) => html`<td>${score(mean(agent, value))} <${Marks} marks=${marksOf(agent)} /></td>`)}</tr>
      ${!known && html`<tr><th scope="row">Mean, broken as 0</th>${run.agents.map((agent) => html`<td>${score(mean(agent, withBroken))} <${Marks} marks=${marksOf(agent)} /></td>`)}</tr>`}
      <tr><th scope="row">All complete</th>${run.agents.map((agent) => html`<td>${complete(agent)}</td>`)}</tr></tfoot></table>
        </div>
    <p class="quiet small">${known ? "The share of tasks that passed this checkpoint." : family ? "The mean score over the tasks of this family." : "The score of each episode: the mean over its tasks."} ✓ all complete, ! with harm. A cell opens the episode.</p>`}
  </section>`;
}

/** Shown while no run is chosen: there is none yet, or there are only single world files. */
function NoTable({ any }) {
  if (any) return html`<h1>Runs</h1><p class="quiet">Choose one from the list.</p>`;
  return html`<h1>No run yet</h1><p class="quiet"><a href=${address("start")}>Start one</a>, <a href=${address("seat")}>work a day yourself</a>,
    or let <code>trainee-bench run</code> create one in a terminal and press <em>Rescan</em>. Or open a folder with runs.</p>`;
}

export function RunsPage({ id }) {
  const [runs, setRuns] = useState(null), [run, setRun] = useState(null), [error, setError] = useState("");
  useEffect(() => {
    let left = false;
    const load = async () => {
      try {
        const list = (await ask("/api/runs")).runs;
        if (left) return;
        setRuns(list);
        const wanted = id !== "" ? Number(id) : list.find((run) => !run.episode && !run.error)?.run;
        if (wanted === undefined) return;
        const table = await ask(`/api/runs/${wanted}`);
        if (left) return;
        setRun(table);
        if (table.cells.some((cell) => cell.state === "running" || cell.state === "waiting")) setTimeout(load, 2000);
      } catch (failed) { if (!left) setError(failed.message); }
    };
    load();
    return () => { left = true; };
  }, [id]);
  if (error) return html`<${Failed} error=${error} />`;
  if (!runs) return html`<${Loading} what="Reading the runs" />`;
  const broken = runs.find((other) => other.run === run?.run)?.error;
  return html`<div class="runs-page"><${RunsList} runs=${runs} current=${run?.run}
      reload=${async () => setRuns((await ask("/api/runs")).runs)} />
    <div class="runs-main">${runs.length > 0 && html`<${RunViews} current="runs" path=${run?.path} number=${run?.run ?? ""} documents=${run?.documents} />`}${broken ? html`<${Failed} error=${broken} />` : run ? html`<${Table} key=${run.run} run=${run} />`
      : html`<${NoTable} any=${runs.length > 0} />`}</div></div>`;
}
