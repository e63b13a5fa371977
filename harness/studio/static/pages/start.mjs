// Start: choose and start a run, forecast its cost, and list the runs that this studio has started.
import { ask, post } from "../parts/api.mjs";
import { goWhenBegun } from "../parts/begun.mjs";
import { AttendanceFields, NumberField } from "../parts/choosing.mjs";
import { Field } from "../parts/fields.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Failed, Loading } from "../parts/notes.mjs";
import { address } from "../parts/route.mjs";
import { count } from "../parts/words.mjs";
import { agentsOf, Workers } from "../parts/workers.mjs";

const range = (value, write) => (value === null ? "–" : value.high === value.low ? write(value.expected) : html`${write(value.expected)} <span
  class="quiet">${write(value.low)}–${write(value.high)}</span>`);
const whole = (number) => Math.round(number).toLocaleString("en");
const dollars = (number) => `$${number.toFixed(number < 10 ? 2 : 0)}`;

/** The forecast cost of the models. Agents without a model are left out, since they cost nothing. */
function ForecastTable({ forecasts }) {
  const asking = forecasts.filter((forecast) => forecast.prompt_tokens !== null), unpriced = asking.filter((forecast) => forecast.cost_usd === null);
  if (!asking.length) return html`<p role="status">No chosen agent uses a model, so this run costs nothing.</p>`;
  return html`${unpriced.length > 0 && html`<p class="quiet small">No price is known for ${unpriced.map((forecast) => forecast.model).join(", ")}.</p>`}
    <div class="wide" tabindex="0" role="group" aria-label="Forecast"><table class="forecast"><caption>Forecast</caption>
    <thead><tr><th scope="col">Agent</th><th scope="col">Model</th><th scope="col">Episodes</th><th scope="col">Steps</th>
      <th scope="col">Tokens in</th><th scope="col">Tokens out</th><th scope="col">Cost</th></tr></thead>
    <tbody>${asking.map((forecast) => html`<tr><th scope="row">${forecast.name}</th><td>${forecast.model}</td><td>${forecast.episodes}</td>
      <td>${range(forecast.steps, whole)}</td><td>${range(forecast.prompt_tokens, whole)}</td><td>${range(forecast.completion_tokens, whole)}</td>
      <td>${range(forecast.cost_usd, dollars)}</td></tr>`)}</tbody></table></div>`;
}

function Jobs({ jobs, stop }) {
  if (!jobs.length) return html`<p class="quiet">This studio has started no run yet. A run ends with the studio; <code>trainee-bench run --resume</code> continues it.</p>`;
  return html`<ul class="jobs">${[...jobs].reverse().map((job) => html`<li key=${job.job} class="job ${job.state}">
    <span class="split"><a href=${address("runs", job.run)}><b>${job.name}</b></a><span class="tag ${job.state === "running" ? "live" : job.state === "failed" ? "none" : ""}">${job.state}</span></span>
    <span class="progress"><i style=${{ width: `${(100 * job.finished) / Math.max(1, job.episodes)}%` }}></i></span>
    <span class="split"><span class="quiet small">${job.finished} of ${count(job.episodes, "episode")}</span>
      ${job.state === "running" && html`<button onClick=${() => stop(job.job)} aria-label=${`Stop ${job.name}`}>Stop</button>`}</span>
    ${job.waiting.length > 0 && html`<ul class="waiting">${job.waiting.map((episode) => html`<li key=${episode.episode}><a
      href=${address("episode", episode.episode)}>${episode.agent} · ${episode.scenario}</a> <span class="quiet small">waits for ${episode.why}</span></li>`)}</ul>`}
    ${job.error && html`<span class="warning small">${job.error}</span>`}</li>`)}</ul>`;
}

function useJobs() {
  const [jobs, setJobs] = useState(null), [asked, again] = useState(0);
  useEffect(() => {
    let left = false, timer = 0;
    const load = async () => {
      try {
        const found = (await ask("/api/jobs")).jobs;
        if (left) return;
        setJobs(found);
        if (found.some((job) => job.state === "running")) timer = setTimeout(load, 700);
      } catch { if (!left) timer = setTimeout(load, 3000); }
    };
    load();
    return () => { left = true; clearTimeout(timer); };
  }, [asked]);
  return [jobs, () => again((number) => number + 1)];
}

const FIRST = { config: "quickstart", scenarios: [], agents: ["oracle"], models: [], limit: null, epochs: 1, guidance: null, concurrency: 4,
  max_steps: 150, max_tokens: null, max_cost: null, max_seconds: null, thinking: null, attendance: { policy: [], patience: null, paused: false } };

export function StartPage() {
  const [page, setPage] = useState(null), [wanted, setWanted] = useState(FIRST), [error, setError] = useState("");
  const [forecasts, setForecasts] = useState(null), [busy, setBusy] = useState("");
  const [jobs, reload] = useJobs();
  useEffect(() => { ask("/api/start").then(setPage, (failed) => setError(failed.message)); }, []);
  const set = (part) => { setWanted({ ...wanted, ...part }); setForecasts(null); };
  if (!page) return error ? html`<${Failed} error=${error} />` : html`<${Loading} what="Loading the choices" />`;
  const { choices } = page;
  const config = choices.configs.find((config) => config.name === wanted.config);
  const body = () => ({ ...wanted, agents: agentsOf(wanted, choices.agents) });
  const estimate = async () => setForecasts(wanted.models.length ? await post("/api/start/forecast", body()) : []);
  const doing = async (what, work) => {
    setBusy(what);
    setError("");
    try { await work(); } catch (failed) { setError(failed.message); }
    setBusy("");
  };
  const begin = (event) => {
    event.preventDefault();
    doing("start", async () => {
      const begun = await post("/api/start", body());
      reload();
      const attended = wanted.attendance.paused || wanted.attendance.policy.length || wanted.attendance.patience !== null;
      if (attended) await goWhenBegun(begun.episode, begun.job);
    });
  };
  const stop = (job) => doing("stop", async () => { await post(`/api/jobs/${job}/stop`); reload(); });
  return html`<div class="start-page"><form class="start" onSubmit=${begin} aria-label="A new run"><h1>Start a run</h1>
    <section><h2>Days</h2><div class="filters">
      <${Field} label="Benchmark"><select value=${wanted.config} onChange=${(event) => set({ config: event.currentTarget.value, scenarios: [] })}>
        ${choices.configs.map((config) => html`<option value=${config.name}>${config.name} · ${count(config.episodes, "episode")} per agent</option>`)}</select><//>
      <${Field} label="Scenario"><select value=${wanted.scenarios[0] ?? ""} onChange=${(event) => set({ scenarios: event.currentTarget.value ? [event.currentTarget.value] : [] })}>
        <option value="">all scenarios</option>${config.scenarios.map((name) => html`<option>${name}</option>`)}</select><//>
      <${NumberField} label="At most" note="scenarios" value=${wanted.limit} placeholder="all" set=${(limit) => set({ limit })} />
      <${NumberField} label="Attempts" value=${wanted.epochs} placeholder="1" set=${(epochs) => set({ epochs: epochs ?? 1 })} />
      <${Field} label="Hints in tasks"><select value=${wanted.guidance ?? ""} onChange=${(event) => set({ guidance: event.currentTarget.value === "" ? null : Number(event.currentTarget.value) })}>
        <option value="">as in the scenario</option><option value="0">none</option><option value="1">strategy</option><option value="2">and where to look</option><option value="3">and how to do it</option></select><//></div></section>
    <${Workers} choices=${choices} wanted=${wanted} set=${set} />
    <section><h2>Limits of a day</h2><div class="filters">
      <${NumberField} label="Steps" value=${wanted.max_steps} placeholder="150" set=${(max_steps) => set({ max_steps: max_steps ?? 150 })} />
      <${NumberField} label="Tokens" value=${wanted.max_tokens} set=${(max_tokens) => set({ max_tokens })} />
      <${NumberField} label="US dollars" value=${wanted.max_cost} min="0.01" step="any" set=${(max_cost) => set({ max_cost })} />
      <${NumberField} label="Real seconds" value=${wanted.max_seconds} step="any" set=${(max_seconds) => set({ max_seconds })} />
      <${NumberField} label="Thinking: tokens per minute" value=${wanted.thinking} set=${(thinking) => set({ thinking })} />
      <${NumberField} label="Episodes at a time" value=${wanted.concurrency} placeholder="4" set=${(concurrency) => set({ concurrency: concurrency ?? 4 })} /></div></section>
    <section><h2>You</h2><${AttendanceFields} value=${wanted.attendance} set=${(attendance) => set({ attendance })} policy=${page.policy} /></section>
    ${error && html`<p class="warning" role="alert">${error}</p>`}
    <div class="dialog-buttons"><button type="submit" class="strong" disabled=${busy !== ""}>${busy === "start" ? "Starting …" : "Start"}</button>
      <button type="button" disabled=${busy !== ""} onClick=${() => doing("forecast", estimate)}>${busy === "forecast" ? "Working some days …" : "Forecast the cost"}</button></div>
    ${forecasts && html`<${ForecastTable} forecasts=${forecasts} />`}</form>
    <aside aria-label="Started here"><h2>Started here</h2>${jobs ? html`<${Jobs} jobs=${jobs} stop=${stop} />` : ""}</aside></div>`;
}
