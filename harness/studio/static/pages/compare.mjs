// Compare: two episodes side by side, their calls aligned, one slider for both.
import { AlignedCalls, KINDS } from "../parts/aligned_calls.mjs";
import { ask } from "../parts/api.mjs";
import { AppPane } from "../parts/app_pane.mjs";
import { CallDetails } from "../parts/call_details.mjs";
import { DifferenceSteps, neighbour } from "../parts/difference_steps.mjs";
import { Episode } from "../parts/episode_model.mjs";
import { Choice } from "../parts/fields.mjs";
import { FirstLoss } from "../parts/first_loss.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Marks, marksInWords } from "../parts/marks.mjs";
import { Empty, Failed, Loading } from "../parts/notes.mjs";
import { address, go, note, query, route, visited } from "../parts/route.mjs";
import { count, plain, score } from "../parts/words.mjs";
import { StepCost } from "../parts/worth_steps.mjs";

function useEpisodes() {
  const [episodes, setEpisodes] = useState(null);
  useEffect(() => {
    (async () => {
      const { runs } = await ask("/api/runs");
      const tables = await Promise.all(runs.filter((run) => !run.error).map((run) => ask(`/api/runs/${run.run}`)));
      setEpisodes(tables.flatMap((table) => table.cells.filter((cell) => cell.state !== "waiting" && !cell.taken).map((cell) => ({ ...cell, run: table.name }))));
    })();
  }, []);
  return episodes;
}

function optionOf(cell) {
  return html`<option key=${cell.episode} value=${cell.episode}>${cell.agent || cell.scenario} · ${cell.scenario} · ${plain(cell.day)} · ${score(cell.score)}${marksInWords(cell.marks)} (${cell.run})</option>`;
}

/** Split `episodes` into those of the same day as `near`, without it, and all `others`. */
function byDay(episodes, near) {
  const like = episodes.find((cell) => cell.episode === near);
  const same = (cell) => like && (cell.episode === near || (like.day_mark !== "" && cell.day_mark === like.day_mark));
  return { same: episodes.filter((cell) => same(cell) && cell.episode !== near), others: episodes.filter((cell) => !same(cell)) };
}

function Chooser({ label, value, episodes, near, choose }) {
  const { same, others } = byDay(episodes, near);
  const itself = episodes.filter((cell) => cell.episode === near);
  return html`<${Choice} label=${label} value=${value} set=${choose}><option value="">choose an episode</option>
    ${itself.length ? html`<optgroup label="The same day">${[...same, ...itself].map(optionOf)}</optgroup>
      <optgroup label="Other days">${others.map(optionOf)}</optgroup>` : others.map(optionOf)}<//>`;
}

/** Suggested episodes to compare with `a`, until one is chosen: those of the same day. */
function Suggestions({ a, episodes, step }) {
  const { same } = byDay(episodes, a);
  if (!a || !same.length) return html`<${Empty}>Choose two episodes, preferably of the same day.<//>`;
  return html`<section class="suggested"><h2>Others on the same day</h2><ul class="list">${same.map((cell) => html`<li key=${cell.episode}><a
    class="item" href=${address("compare", "", { a, b: cell.episode, step })}><b>${cell.agent || cell.scenario}</b>
    <span class="split"><span class="quiet small">${cell.run}${cell.attempt > 1 ? ` · attempt ${cell.attempt}` : ""}</span><span>${score(cell.score)} <${Marks}
      marks=${cell.marks} /></span></span></a></li>`)}</ul></section>`;
}

/** A note if the episodes are of different days: the days' names, or their tasks if the names are equal. */
function DifferentDays({ compared }) {
  if (compared.same_day) return null;
  const named = (facts) => `${facts.scenario}${facts.day ? ` · ${plain(facts.day)}` : ""}`;
  const alike = named(compared.a) === named(compared.b);
  const day = (facts) => `${named(facts)}${alike ? ` with ${facts.tasks.map((task) => task.rule).join(", ") || "no result yet"}` : ""}`;
  return html`<p class="different-days" role="note"><b>Different days</b>: ${day(compared.a)} on the left, ${day(compared.b)} on the right.
    Calls are aligned by tool and arguments; tasks are listed separately.</p>`;
}

/** A task's name; both names if they differ. */
function taskName({ a, b, family }) {
  const names = [...new Set([a?.task, b?.task].filter(Boolean))];
  return `${names.join(" and ")} · ${plain(family)}`;
}

function Checkpoints({ compared }) {
  const { a, b, tasks } = compared;
  const mark = (task, name) => { const found = task?.checkpoints.find((check) => check.name === name); return found ? html`<span
    class=${found.passed ? "yes" : "no"} title=${found.seen}>${found.passed ? "✓ passed" : "✕ missed"}</span>` : "–"; };
  if (!tasks.length) return null;
  const checks = (task) => [...new Map([...(task.b?.checkpoints ?? []), ...(task.a?.checkpoints ?? [])].map((check) => [check.name, check])).values()];
  const who = (facts) => html`${facts.agent || facts.name} <${Marks} marks=${facts.marks} />`;
  return html`<div class="wide" tabindex="0" role="group" aria-label="Scores by checkpoint"><table class="checkpoints">
    <caption>Scores by checkpoint${compared.same_day ? "" : ": different days, so no task is joined"}</caption>
    <thead><tr><th scope="col">Task and checkpoint</th><th scope="col">${who(a)}</th><th scope="col">${who(b)}</th></tr>
      <tr><th scope="row">The day</th><td>${score(a.score)}</td><td>${score(b.score)}</td></tr></thead>
    ${tasks.map((task, place) => html`<tbody key=${place}><tr class="task-row">
      <th scope="row">${taskName(task)}</th><td>${score(task.a?.score)}</td><td>${score(task.b?.score)}</td></tr>
      ${checks(task).map((check) => html`<tr key=${check.name}><th scope="row">${check.sentence}</th><td>${mark(task.a, check.name)}</td>
        <td>${mark(task.b, check.name)}</td></tr>`)}</tbody>`)}</table></div>`;
}

function Side({ episode, facts, name }) {
  return html`<section class="mirror-side" aria-label=${name}>
    <p class="split"><span><b>${facts.agent || facts.name}</b> ${score(facts.score)} <${Marks} marks=${facts.marks} /></span> <a
      href=${address("episode", episode.key, { step: episode.step.value ?? 0 })}>Open alone</a></p>
    <${AppPane} episode=${episode} id=${`app-${name}`} label=${`${name}: apps`} />
    <${CallDetails} details=${episode.details.value} old=${episode.detailsAreOld.value} starts=${facts.day_starts} open=${(app, item) => episode.open(app, item)}
      label=${`${name}: call`} cost=${html`<${StepCost} curve=${episode.worth.curve.value} step=${episode.step.value} />`} />
  </section>`;
}

/** The comparison of `a` and `b`, and their differences, which load later; `error` reports a failure. */
function useComparison(a, b) {
  const [compared, setCompared] = useState(null), [differing, setDiffering] = useState(null), [error, setError] = useState("");
  useEffect(() => {
    const left = new AbortController();
    const asked = (path, set) => ask(`${path}${query({ a, b })}`, left.signal)
      .then(set, (failed) => { if (!left.signal.aborted) setError(failed.message); });
    asked("/api/compare", setCompared);
    asked("/api/compare/differences", setDiffering);
    return () => left.abort();
  }, []);
  return { compared, differing, error };
}

function Mirror({ a, b, at: wanted, step }) {
  const { compared, differing, error } = useComparison(a, b);
  const [left] = useState(() => new Episode(a)), [right] = useState(() => new Episode(b));
  const [at, setAt] = useState(wanted);
  useEffect(() => () => { left.close(); right.close(); }, []);
  const ready = compared && left.facts.value && right.facts.value;
  const lines = compared?.aligned.lines ?? [];
  useEffect(() => { // start at the step the user came from, else at the first difference
    if (at !== null || !compared) return;
    const from = lines.findIndex((line) => line.a === step);
    if (from >= 0) setAt(from);
    else if (differing) setAt(differing.differences[0]?.line ?? 0);
  }, [compared, differing]);
  const line = Math.max(0, Math.min(lines.length - 1, at ?? 0));
  useEffect(() => {
    if (!ready || at === null || !lines.length) return;
    for (const [episode, side] of [[left, "a"], [right, "b"]]) {
      const before = lines.slice(0, line + 1).filter((line) => line[side]);
      episode.goTo(before.length ? before.at(-1)[side] : 0);
    }
    note("compare", "", { a, b, line });
  }, [ready, line, at === null]);
  useEffect(() => {
    const pressed = (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, [role=grid]")) return;
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key], further = { n: 1, p: -1 }[event.key];
      const next = further ? neighbour(differing, line, further) : by ? Math.max(0, Math.min(lines.length - 1, line + by)) : null;
      if (next === null) return;
      event.preventDefault();
      setAt(next);
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [lines, line, differing]);
  const failed = error || left.error.value || right.error.value;
  if (failed) return html`<${Failed} error=${failed} />`;
  if (!ready) return html`<${Loading} what="Aligning the calls" />`;
  const show = (side) => (wantedStep) => setAt(Math.max(0, lines.findIndex((line) => line[side] === wantedStep)));
  const number = (...kinds) => lines.filter((line) => kinds.includes(line.kind)).length;
  return html`<div class="mirror">
    <${DifferentDays} compared=${compared} />
    <div class="split wrap"><p
      class="quiet">${count(number("same"), "call")} the same on both sides, ${number("other_result")} with a different answer, ${number("other_arguments")} with different arguments, ${number("only_a")} only left, ${number("only_b")} only right</p>
      <${DifferenceSteps} differing=${differing} line=${line} choose=${setAt} /></div>
    <div class="first-losses"><${FirstLoss} episode=${left} name="Left: first loss" show=${show("a")} /><${FirstLoss}
      episode=${right} name="Right: first loss" show=${show("b")} /></div>
    <input type="range" min="0" max=${Math.max(0, lines.length - 1)} value=${line} aria-label="Line"
      aria-valuetext=${`Line ${line + 1} of ${lines.length}, ${KINDS[lines[line]?.kind] ?? ""}`}
      onInput=${(event) => setAt(Number(event.currentTarget.value))} />
    ${lines.length ? html`<${AlignedCalls} lines=${lines} at=${line} a=${left.calls.value} b=${right.calls.value} choose=${setAt} />`
      : html`<${Empty}>Neither made a call.<//>`}
    <div class="mirror-sides"><${Side} episode=${left} facts=${compared.a} name="Left" /><${Side}
      episode=${right} facts=${compared.b} name="Right" /></div>
    <${Checkpoints} compared=${compared} />
  </div>`;
}

export function ComparePage() {
  const episodes = useEpisodes();
  const asked = route.value.query, here = (key) => episodes?.some((cell) => cell.episode === key);
  if (!episodes) return html`<${Loading} what="Reading the runs" />`;
  const from = !asked.a && here(visited.episode); // begin with the episode that the user came from
  const a = from ? visited.episode : asked.a ?? "", b = asked.b ?? "", step = from ? visited.step : asked.step ?? "";
  const line = asked.line === undefined ? null : Number.parseInt(asked.line, 10) || 0;
  return html`<div class="compare-page"><h1>Compare</h1>
    <div class="filters" role="group" aria-label="Episodes">
      <${Chooser} label="Left" value=${a} episodes=${episodes} near=${b} choose=${(key) => go("compare", "", { a: key, b })} />
      <${Chooser} label="Right" value=${b} episodes=${episodes} near=${a} choose=${(key) => go("compare", "", { a, b: key, step })} />
    </div>
    ${a && b ? html`<${Mirror} key=${`${a} ${b}`} a=${a} b=${b} at=${line} step=${Number.parseInt(step, 10)} />`
      : html`<${Suggestions} a=${a} episodes=${episodes} step=${step} />`}
  </div>`;
}
