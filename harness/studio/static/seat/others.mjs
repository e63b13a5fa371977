// The results of others on the same day: from this studio's runs, or from agents that work it now.
import { ask, post } from "../parts/api.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Marks } from "../parts/marks.mjs";
import { address } from "../parts/route.mjs";
import { score } from "../parts/words.mjs";

const LOOKS_EVERY = 700;

function Results({ seat, results }) {
  const own = seat.state.value;
  const lines = [...results, { episode: own.episode, run_name: "", agent: own.person, score: own.score, success: own.success, steps: own.steps, own: true, marks: own.forked_from ? ["forked"] : [] }]
    .sort((a, b) => (b.score ?? 0) - (a.score ?? 0));
  return html`<div class="wide" tabindex="0" role="group" aria-label="Results on this day"><table class="pages others"><caption class="hidden">Results on this day, the best first</caption>
    <thead><tr><th scope="col">Who</th><th scope="col">Complete</th><th scope="col">Score</th><th scope="col">Steps</th><th scope="col">Run</th></tr></thead>
    <tbody>${lines.map((other) => html`<tr key=${other.episode} class=${other.own ? "chosen" : ""}>
      <td><a href=${address("episode", other.episode)}>${other.agent}</a>${other.own ? " (you)" : ""} <${Marks} marks=${other.marks} /></td>
      <td>${other.success ? "yes" : "no"}</td><td>${score(other.score)}</td><td>${other.steps}</td>
      <td>${other.own ? "" : html`${other.run_name} · <a href=${address("compare", "", { a: own.episode, b: other.episode })} aria-label=${`Compare with ${other.agent} of ${other.run_name}`}>compare</a>`}</td></tr>`)}</tbody></table></div>`;
}

/** Wait until the job `number` is over; throws its error. */
async function over(number, left) {
  while (!left.current) {
    const job = (await ask("/api/jobs")).jobs.find((job) => job.job === number);
    if (job.error) throw new Error(job.error);
    if (job.state !== "running") return;
    await new Promise((next) => setTimeout(next, LOOKS_EVERY));
  }
}

export function Others({ seat }) {
  const [others, setOthers] = useState(null), [error, setError] = useState(""), [busy, setBusy] = useState(false);
  const [left] = useState({ current: false });
  const load = async () => setOthers(await ask(`${seat.path}/others`));
  useEffect(() => {
    load().catch((failed) => setError(failed.message));
    return () => { left.current = true; };
  }, []);
  const start = async () => {
    setBusy(true);
    setError("");
    try {
      const { config, scenario, agents } = others.start;
      await over((await post("/api/start", { config, scenarios: [scenario], agents })).job, left);
      await load();
    } catch (failed) { setError(failed.message); }
    setBusy(false);
  };
  const working = others?.start?.agents.filter((name) => !others.results.some((result) => result.agent === name)) ?? [];
  return html`<section aria-label="Others on this day"><h3>How others did on this day</h3>
    ${error && html`<p class="warning small" role="alert">${error}</p>`}
    ${others && (others.results.length ? html`<${Results} seat=${seat} results=${others.results} />` : html`<p class="quiet small">No run in this studio has this day.</p>`)}
    ${working.length > 0 && html`<p class="row"><button disabled=${busy} onClick=${start}>${busy ? "They are at work …" : `Let ${listed(others.start.agents)} work it`}</button>
      <span class="quiet small">These agents need no model: the first solves every task, the second works honestly without a plan, the third cheats.</span></p>`}</section>`;
}

function listed(names) { return `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`; }
