// Overview: one run by family and agent, the causes of lost points, and the flags on its steps.
import { ask } from "../parts/api.mjs";
import { HeatMap } from "../parts/heat_map.mjs";
import { html, useEffect, useRef, useState } from "../parts/html.mjs";
import { Marks } from "../parts/marks.mjs";
import { Empty, Failed, Loading } from "../parts/notes.mjs";
import { address, query, route } from "../parts/route.mjs";
import { RunViews } from "../parts/run_views.mjs";
import { clock, count, plain, score } from "../parts/words.mjs";

function Lost({ lost }) {
  return html`${lost.map((table) => html`<section key=${table.heading}><h2>${table.heading}</h2>
    <div class="wide" tabindex="0" role="group" aria-label=${table.heading}><table class="lost-to"><thead><tr>${table.titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
      <tbody>${table.rows.map(([first, ...others]) => html`<tr><th scope="row">${first}</th>${others.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>
    ${table.notes.map((note) => html`<p class="quiet small">${note}</p>`)}</section>`)}`;
}

function Flags({ run }) {
  const [found, setFound] = useState(null), [error, setError] = useState("");
  useEffect(() => { ask(`/api/runs/${run}/flags`).then(setFound, (failed) => setError(failed.message)); }, [run]);
  if (error) return html`<${Failed} error=${error} />`;
  if (!found) return null;
  return html`<section aria-label="Flags"><h2>Flags</h2>
    ${found.flaws.map((flaw) => html`<p class="warning small">${flaw}</p>`)}
    ${found.flags.length ? html`<ul class="flag-list">${found.flags.map((flag) => html`<li key=${`${flag.episode} ${flag.step}`}>
      <a href=${address("episode", flag.episode, { step: flag.step })}><i class="flag-sign" aria-hidden="true">⚑</i> ${flag.agent}, ${flag.scenario} · ${plain(flag.day)}${flag.attempt > 1 ? `, attempt ${flag.attempt}` : ""}, step ${flag.step}</a>${" "}
      <span class="quiet small">${clock(flag.at)} ${plain(flag.tool)}</span>${flag.note && html`<p class="note-text">${flag.note}</p>`}</li>`)}</ul>`
      : html`<p class="quiet small">None. An episode's page has <em>Flag this step</em> beside each call.</p>`}</section>`;
}

/** How the tasks of own offices were certified when the run began. */
function Badges({ badges }) {
  const rules = Object.entries(badges);
  if (!rules.length) return null;
  return html`<section aria-label="Certificates"><h2>Certificates of the office's tasks</h2><ul class="badges">${rules.map(([rule, badge]) => html`<li key=${rule}><b>${rule}</b> <span
    class=${badge.includes("broken:") ? "bad" : "quiet"}>${badge}</span></li>`)}</ul></section>`;
}

function Tasks({ tasks }) {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Tasks"><table class="tasks-behind"><thead><tr><th scope="col">Episode</th><th scope="col">Task</th><th scope="col">Rule</th><th
    scope="col">Score</th><th scope="col">Missed</th></tr></thead><tbody>${tasks.map((task) => html`<tr key=${`${task.episode} ${task.task}`}>
    <th scope="row"><a href=${address("episode", task.episode)}>${task.scenario} · ${plain(task.day)}${task.attempt > 1 ? `, attempt ${task.attempt}` : ""}</a> <${Marks} marks=${task.marks} /></th>
    <td>${task.task}</td><td class="quiet">${task.rule}</td><td>${task.score === null ? "not graded" : score(task.score)}${task.success && html` <i class="ok">✓<span class="hidden"> complete</span></i>`}</td>
    <td>${task.missed ? count(task.missed, "checkpoint") : "–"}${task.harm > 0 && html` <span class="bad">and harm</span>`}</td></tr>`)}</tbody></table></div>`;
}

/** The tasks behind the cell in the address. */
function Behind({ overview, agent, family }) {
  const heading = useRef(null);
  const [found, setFound] = useState(null), [error, setError] = useState("");
  useEffect(() => {
    setFound(null);
    ask(`/api/runs/${overview.run}/tasks${query({ agent, family })}`).then(setFound, (failed) => setError(failed.message));
    if (!document.activeElement?.closest(".heat")) return; // opened by its address
    heading.current.focus({ preventScroll: true });
    heading.current.scrollIntoView({ block: "nearest" });
  }, [overview.run, agent, family]);
  return html`<section class="behind" aria-label="Behind the cell"><div class="split wrap"><h2 ref=${heading} tabindex="-1">${agent} on ${plain(family)}</h2>
    <span class="buttons"><a class="button" href=${address("episodes", "", { run: overview.path, agent, family })}>These episodes as a table</a></span></div>
    ${error ? html`<${Failed} error=${error} />` : !found ? html`<${Loading} what="Reading the tasks" />`
      : found.tasks.length ? html`<${Tasks} tasks=${found.tasks} />` : html`<${Empty}>This agent has no finished task of this family.<//>`}</section>`;
}

function Overview({ overview }) {
  const { by = "", agent = "", family = "" } = route.value.query;
  return html`<div class="split wrap"><div><p class="over">${overview.benchmark}</p><h1>${overview.name}</h1></div>
      <p class="quiet small">${overview.over < overview.episodes ? `${overview.over} of ` : ""}${count(overview.episodes, "episode")}</p></div>
    <div class="overview"><div>
      ${overview.cells.length ? html`<${HeatMap} overview=${overview} by=${by} agent=${agent} family=${family} />` : html`<${Empty}>No episode of this run is over yet.<//>`}
      ${agent && family && html`<${Behind} overview=${overview} agent=${agent} family=${family} />`}</div>
    <div><${Lost} lost=${overview.lost} /><${Badges} badges=${overview.badges} /><${Flags} run=${overview.run} /></div></div>`;
}

export function OverviewPage({ id }) {
  const [overview, setOverview] = useState(null), [error, setError] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    ask(`/api/runs/${id}/overview`, stop.signal).then(setOverview, (failed) => { if (!stop.signal.aborted) setError(failed.message); });
    return () => stop.abort();
  }, [id]);
  return html`<div class="overview-page"><${RunViews} current="overview" path=${overview?.path} number=${id} documents=${overview?.documents} />
    ${error ? html`<${Failed} error=${error} />` : overview ? html`<${Overview} overview=${overview} />` : html`<${Loading} what="Reading the run" />`}</div>`;
}
