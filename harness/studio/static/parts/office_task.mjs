// A task of an own office on the day of a seed: the request, what it rests on, the right result, and honest work.
import { ask } from "./api.mjs";
import { Field } from "./fields.mjs";
import { HonestWork } from "./honest_day.mjs";
import { html, useEffect, useState } from "./html.mjs";
import { Name } from "./names.mjs";
import { Failed, Loading } from "./notes.mjs";
import { Certificate } from "./office_claims.mjs";
import { OpenWorld } from "./offices.mjs";
import { address, go, query } from "./route.mjs";
import { clock, count } from "./words.mjs";

/** Chooses the seed of the day; the address keeps it. */
function SeedChoice({ office, task, seed }) {
  const [typed, setTyped] = useState(String(seed));
  const show = (event) => { event.preventDefault(); go("office", office, { task, seed: typed === "0" ? "" : typed }); };
  return html`<form class="seed-choice" onSubmit=${show}><${Field} label="Day of seed"><input type="number" required min="0" max="999999999" step="1" value=${typed}
    onInput=${(event) => setTyped(event.currentTarget.value)} /><//><button>Show</button></form>`;
}

function Files({ office, task }) {
  if (!task.files.length) return null;
  return html`<section><h2>Files</h2><dl class="head">${task.files.map((file) => html`<dt>${file.name}</dt>
    <dd>${file.app ? html`<a href=${address("office", office, { part: "drive", app: file.app, item: file.path })}>${file.path}</a>` : file.path}</dd>`)}</dl></section>`;
}

function Policy({ policy }) {
  const values = Object.entries(policy);
  if (!values.length) return null;
  return html`<section><h2>Values of rules</h2><dl class="head">${values.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></section>`;
}

function Fact({ fact }) {
  const rows = [
    ["Answer", fact.told], ["Known to", html`<${Name} name=${fact.who} />, at work ${fact.hours}, answers in ${fact.answers_in} min`], ["Question", fact.question],
    fact.others.length && ["Other values", fact.others.join(", ")], fact.assumed && ["Without asking", `somebody would assume ${fact.assumed}`],
  ].filter(Boolean);
  return html`<article class="fact"><h3>${fact.name}</h3><dl class="head">${rows.map(([name, value]) => html`<dt>${name}</dt><dd>${value}</dd>`)}</dl></article>`;
}

function Result({ result, seed }) {
  const more = result.total - result.rows.length;
  return html`<section><h2>Right result</h2><dl class="head">${result.must.map(([name, values]) => html`<dt>${name}</dt>${values.map((value) => html`<dd>${value}</dd>`)}`)}</dl>
    ${result.text && html`<pre class="text quoted">${result.text}</pre>`}
    ${result.rows.length > 0 && html`<details class="fold"><summary>${count(result.total, "right row")} at seed ${seed}</summary>
      <div class="wide" tabindex="0" role="group" aria-label="Right rows"><table class="plain-table"><thead><tr>${result.titles.map((title) => html`<th scope="col">${title}</th>`)}</tr></thead>
        <tbody>${result.rows.map((row) => html`<tr>${row.map((cell) => html`<td>${cell}</td>`)}</tr>`)}</tbody></table></div>
      ${more > 0 && html`<p class="quiet small">${count(more, "more row")}.</p>`}</details>`}</section>`;
}

function Shown({ office, task }) {
  const path = `/api/offices/${office}/tasks/${task.name}/honest${query({ seed: task.seed || "" })}`;
  return html`<div class="split wrap task-head"><div><p class="over">${task.rule} · ${task.kind}</p><h1>${task.title}</h1></div>
      <${SeedChoice} key=${`${task.name} ${task.seed}`} office=${office} task=${task.name} seed=${task.seed} /></div>
    <${Certificate} office=${office} task=${task.name} rule=${task.rule} badge=${task.badge} certificate=${task.certificate} />
    ${task.flaw && html`<p class="warning" role="alert">The day of seed ${task.seed} cannot be composed: ${task.flaw}</p>`}
    <section><h2>Request</h2><p class="quiet small"><${Name} name=${task.requester} /> asks${task.due ? `, due ${clock(task.due)}` : ""}</p><pre class="text quoted">${task.request}</pre></section>
    <div class="rests-on"><${Files} office=${office} task=${task} /><${Policy} policy=${task.policy} /></div>
    ${task.facts.length > 0 && html`<section><h2>Facts that no file says</h2><div class="facts-of">${task.facts.map((fact) => html`<${Fact} key=${fact.name} fact=${fact} />`)}</div></section>`}
    <${Result} result=${task.result} seed=${task.seed} />
    ${!task.flaw && html`<section><div class="split wrap"><h2>Honest work at seed ${task.seed}</h2>
      <div><${OpenWorld} office=${office} words="Open this day step by step" world=${{ task: task.name, seed: task.seed }} /></div></div><${HonestWork} path=${path} /></section>`}`;
}

export function Task({ office, name, seed }) {
  const [task, setTask] = useState(null), [error, setError] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    setError("");
    ask(`/api/offices/${office}/tasks/${name}${query({ seed })}`, stop.signal).then(setTask, (failed) => { if (!stop.signal.aborted) { setTask(null); setError(failed.message); } });
    return () => stop.abort();
  }, [office, name, seed]);
  if (error) return html`<${Failed} error=${error} />`;
  return task && task.name === name ? html`<${Shown} office=${office} task=${task} />` : html`<${Loading} what="Reading the task" />`;
}
