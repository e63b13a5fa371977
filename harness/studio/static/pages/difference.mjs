// The differences of a file: from its state at another step, from its source, or from another agent's file.
import { ask } from "../parts/api.mjs";
import { Choice, Field } from "../parts/fields.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Empty, Failed, Loading } from "../parts/notes.mjs";
import { address, go, query, route } from "../parts/route.mjs";
import { plain } from "../parts/words.mjs";

const SIGNS = { same: " ", removed: "−", added: "+" };
const SAID = { removed: "removed: ", added: "added: " };

function Lines({ lines }) {
  return html`<div class="difference-box" tabindex="0" role="group" aria-label="Lines that differ"><ol class="compared">${lines.map((line) => line.kind === "left out"
    ? html`<li class="left-out" aria-label="Lines that are the same are left out">⋯</li>`
    : html`<li class="compared-line ${line.kind}"><span class="number">${line.before ?? ""}</span><span class="number">${line.after ?? ""}</span>
      <code><span aria-hidden="true">${SIGNS[line.kind]} </span><span class="hidden">${SAID[line.kind] ?? ""}</span>${line.text}</code></li>`)}</ol></div>`;
}

function shown(value) { return value === null ? "(empty)" : String(value); }

function Cells({ cells }) {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Cells that differ"><table class="cells"><thead><tr><th scope="col">Sheet</th><th scope="col">Cell</th>
    <th scope="col">Before</th><th scope="col">After</th></tr></thead><tbody>${cells.map((cell) => html`<tr><td>${cell.sheet}</td><th scope="row">${cell.cell}</th>
      <td class=${cell.before === null ? "quiet" : "was"}>${shown(cell.before)}</td><td class=${cell.after === null ? "quiet" : "is"}>${shown(cell.after)}</td></tr>`)}</tbody></table></div>`;
}

function Difference({ difference }) {
  const { same, lines, cells, more, flaw } = difference;
  if (flaw && !same) return html`<p class="warning pad">${flaw}</p>`;
  if (same) return html`<${Empty}>The files are the same.<//>`;
  return html`${lines.length > 0 && html`<${Lines} lines=${lines} />`}${cells.length > 0 && html`<${Cells} cells=${cells} />`}
    ${more > 0 && html`<p class="quiet small">and ${more} more that differ</p>`}`;
}

/** The choices in the address, with defaults for missing ones. */
function wanted(given, steps) {
  const number = (text, other) => { const read = Number.parseInt(text, 10); return Number.isNaN(read) ? other : Math.max(0, Math.min(steps, read)); };
  const step = number(given.step, steps);
  return { path: given.path ?? "", step, against: ["step", "source", "agent"].includes(given.against) ? given.against : "step",
    from: number(given.from, Math.max(0, step - 1)), other: given.other ?? "", source: given.source ?? "source" };
}

function Step({ label, value, most, set }) {
  return html`<${Field} label=${label}><input type="number" min="0" max=${most} value=${value} onChange=${(event) => set(event.currentTarget.value)} /><//>`;
}

function Controls({ files, asked, steps, others, go: choose }) {
  const options = files.map((file) => html`<option value=${file.path}>${file.path}</option>`);
  return html`<div class="filters"><${Choice} label="File" value=${asked.path} set=${(path) => choose({ path })}><option value="">choose a file</option>${options}<//>
    <${Step} label="After step" value=${asked.step} most=${steps} set=${(step) => choose({ step })} />
    <${Choice} label="Compared with" value=${asked.against} set=${(against) => choose({ against })}>
      <option value="step">itself at another step</option><option value="source">its source, or another file</option>
      ${others.length > 0 && html`<option value="agent">the same file of another agent</option>`}<//>
    ${asked.against === "step" && html`<${Step} label="After step" value=${asked.from} most=${steps} set=${(from) => choose({ from })} />`}
    ${asked.against === "source" && html`<${Choice} label="Which" value=${asked.source} set=${(source) => choose({ source })}><option value="source">the most similar name</option>${options}<//>`}
    ${asked.against === "agent" && html`<${Choice} label="Agent" value=${asked.other} set=${(other) => choose({ other })}><option value="">choose an agent</option>
      ${others.map((cell) => html`<option value=${cell.episode}>${cell.agent}${cell.attempt > 1 ? `, attempt ${cell.attempt}` : ""}</option>`)}<//>`}</div>`;
}

/** The request for the current choices, null while one is missing; another agent's file is taken at the end of its day. */
function question(id, asked) {
  const { path, step, against, from, other, source } = asked;
  if (!path || (against === "agent" && !other)) return null;
  const before = { step: { before_step: String(from) }, source: { before_path: source, before_step: String(step) }, agent: { before_episode: other } }[against];
  return `/api/episodes/${id}/difference${query({ path, step: String(step), ...before })}`;
}

/** An episode, its files after a step, and the other episodes of its day. */
function useFiles(id, step, fail) {
  const [facts, setFacts] = useState(null), [files, setFiles] = useState(null), [others, setOthers] = useState([]);
  useEffect(() => {
    ask(`/api/episodes/${id}`).then(async (found) => {
      setFacts(found);
      const { cells } = await ask(`/api/runs/${found.run}`);
      setOthers(cells.filter((cell) => cell.scenario === found.scenario && cell.day === found.day && cell.episode !== id && !cell.taken && cell.calls > 0));
    }).catch(fail);
  }, [id]);
  const at = facts && wanted({ step }, facts.steps).step;
  useEffect(() => { if (facts) ask(`/api/episodes/${id}/state/${at}/files`).then((state) => setFiles(state.view.files), fail); }, [facts, at]);
  return { facts, files, others };
}

function Title({ result, facts, others }) {
  const { before, after } = result;
  const who = (file) => (file.episode === facts.episode ? facts.agent : others.find((cell) => cell.episode === file.episode)?.agent ?? file.episode);
  const line = (words, file) => html`<p><span class="quiet small">${words}</span> <b>${file.path || "(no such file)"}</b> <span class="quiet">${who(file)}, </span><a href=${address("episode", file.episode, { step: file.step })}>${file.step ? `after step ${file.step}` : "in the morning"}</a></p>`;
  return html`<div class="difference-title">${line("before", before)}${line("after", after)}</div>`;
}

export function DifferencePage({ id }) {
  const [result, setResult] = useState(null), [error, setError] = useState("");
  const given = route.value.query, { facts, files, others } = useFiles(id, given.step, (failed) => setError(failed.message));
  const asked = facts && wanted(given, facts.steps), path = asked && question(id, asked);
  useEffect(() => {
    if (!path) { setResult(null); return undefined; }
    let late = false;
    ask(path).then((found) => { if (!late) { setResult(found); setError(""); } }, (failed) => { if (!late) setError(failed.message); });
    return () => { late = true; };
  }, [path]);
  if (!facts || !files) return error ? html`<${Failed} error=${error} />` : html`<${Loading} what="Opening the day" />`;
  const choose = (change) => go("difference", id, { ...asked, ...change });
  return html`<section class="difference-page"><p class="over"><a href=${address("episode", id, { step: asked.step })}>${facts.agent || facts.name} · ${facts.scenario} · ${plain(facts.day)}</a></p>
    <h1>Differences</h1><${Controls} files=${files} asked=${asked} steps=${facts.steps} others=${others} go=${choose} />
    ${error && html`<${Failed} error=${error} />`}
    ${result ? html`<${Title} result=${result} facts=${facts} others=${others} /><${Difference} difference=${result.difference} />`
      : !error && html`<${Empty}>${path ? "Comparing …" : "Choose what to compare."}<//>`}</section>`;
}
