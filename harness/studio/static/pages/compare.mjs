// Compare: two episodes in mirror, their calls aligned, one slider for both.
import { ask, query } from "../parts/api.mjs";
import { AppPane } from "../parts/app_pane.mjs";
import { CallDetails } from "../parts/call_details.mjs";
import { Episode } from "../parts/episode_model.mjs";
import { FirstLoss } from "../parts/first_loss.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Empty, Failed, Loading } from "../parts/notes.mjs";
import { address, go, note, route } from "../parts/route.mjs";
import { Rows } from "../parts/rows.mjs";
import { clock, count, hue, plain, score } from "../parts/words.mjs";
import { StepCost } from "../parts/worth_steps.mjs";

const HEIGHT = 30;
const KINDS = {
  same: "the same call", other_arguments: "other arguments", other_result: "another answer",
  only_a: "left only", only_b: "right only",
};

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

function Chooser({ label, value, episodes, near, choose }) {
  const like = near && episodes.find((cell) => cell.episode === near);
  const first = (cell) => (like && cell.scenario === like.scenario && cell.day === like.day ? 0 : 1);
  const sorted = [...episodes].sort((one, other) => first(one) - first(other));
  return html`<label class="choice"><span>${label}</span><select value=${value}
    onChange=${(event) => choose(event.currentTarget.value)}>
    <option value="">choose an episode</option>
    ${sorted.map((cell) => html`<option
      value=${cell.episode}>${cell.agent || cell.scenario} · ${cell.scenario} · ${plain(cell.day)} · ${score(cell.score)} (${cell.run})</option>`)}</select></label>`;
}

function Half({ call }) {
  if (!call) return html`<span class="half gap"></span>`;
  return html`<span class="half ${hue(call.app)} ${call.ok ? "" : "failed"}"><span class="number">${call.step}</span><span
    class="time">${clock(call.at)}</span><i class="dot"></i><span class="tool">${call.tool}</span><span
    class="brief">${call.brief}</span></span>`;
}

function Aligned({ lines, at, a, b, choose }) {
  const move = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(lines.length - 1, at + by)));
  };
  return html`<div class="aligned"><${Rows} count=${lines.length} height=${HEIGHT} current=${at}
    attributes=${{ role: "listbox", tabIndex: 0, "aria-label": "Aligned calls", onKeyDown: move, "aria-activedescendant": `line-${at}` }}
    row=${(n) => html`<div class="line ${lines[n].kind} ${n === at ? "current" : ""}" key=${n} id=${`line-${n}`} role="option"
      aria-selected=${n === at}
      aria-setsize=${lines.length} aria-posinset=${n + 1} onClick=${() => choose(n)}>
      <${Half} call=${lines[n].a && a[lines[n].a - 1]} /><span class="sign" title=${KINDS[lines[n].kind]}><span
        class="hidden">${KINDS[lines[n].kind]}</span></span><${Half} call=${lines[n].b && b[lines[n].b - 1]} /></div>`} /></div>`;
}

function Checkpoints({ a, b }) {
  const tasks = [...new Map([...a.tasks, ...b.tasks].map((task) => [task.task, task])).values()];
  const of = (facts, task) => facts.tasks.find((one) => one.task === task);
  const mark = (task, name) => { const found = task?.checkpoints.find((one) => one.name === name); return found ? html`<span
    class=${found.passed ? "yes" : "no"} title=${found.seen}>${found.passed ? "✓ passed" : "✕ missed"}</span>` : "–"; };
  if (!tasks.length) return null;
  return html`<div class="wide" tabindex="0" role="group" aria-label="Scores by checkpoint"><table class="checkpoints">
    <caption>Scores by checkpoint</caption>
    <thead><tr><th scope="col">Task and checkpoint</th><th scope="col">${a.agent || a.name}</th>
      <th scope="col">${b.agent || b.name}</th></tr></thead>
    ${tasks.map((task) => html`<tbody key=${task.task}><tr class="task-row">
      <th scope="row">${task.task} · ${plain(task.family)}</th><td>${score(of(a, task.task)?.score)}</td>
      <td>${score(of(b, task.task)?.score)}</td></tr>
      ${task.checkpoints.map((one) => html`<tr><th scope="row">${one.sentence}</th><td>${mark(of(a, task.task), one.name)}</td>
        <td>${mark(of(b, task.task), one.name)}</td></tr>`)}</tbody>`)}</table></div>`;
}

function Side({ episode, facts, name }) {
  return html`<section class="mirror-side" aria-label=${name}>
    <p class="split"><b>${facts.agent || facts.name}</b> <a
      href=${address("episode", episode.key, { step: episode.step.value ?? 0 })}>Open alone</a></p>
    <${AppPane} episode=${episode} id=${`app-${name}`} label=${`${name}: apps`} />
    <${CallDetails} details=${episode.details.value} starts=${facts.day_starts} open=${(app, item) => episode.open(app, item)}
      label=${`${name}: call`} cost=${html`<${StepCost} curve=${episode.worth.curve.value} step=${episode.step.value} />`} />
  </section>`;
}

function Mirror({ a, b, at: wanted }) {
  const [compared, setCompared] = useState(null), [error, setError] = useState("");
  const [left] = useState(() => new Episode(a)), [right] = useState(() => new Episode(b));
  const [at, setAt] = useState(wanted);
  useEffect(() => () => { left.close(); right.close(); }, []);
  useEffect(() => { ask(`/api/compare${query({ a, b })}`).then(setCompared, (failed) => setError(failed.message)); }, []);
  const ready = compared && left.facts.value && right.facts.value;
  const lines = compared?.aligned.lines ?? [];
  const line = Math.max(0, Math.min(lines.length - 1, at));
  useEffect(() => {
    if (!ready || !lines.length) return;
    for (const [episode, side] of [[left, "a"], [right, "b"]]) {
      const before = lines.slice(0, line + 1).filter((one) => one[side]);
      episode.goTo(before.length ? before.at(-1)[side] : 0);
    }
    note("compare", "", { a, b, line });
  }, [ready, line]);
  useEffect(() => {
    const pressed = (event) => {
      const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (!by || event.ctrlKey || event.altKey || event.metaKey || event.target.closest?.("input, select, [role=grid]")) return;
      event.preventDefault();
      setAt((now) => Math.max(0, Math.min(lines.length - 1, now + by)));
    };
    addEventListener("keydown", pressed);
    return () => removeEventListener("keydown", pressed);
  }, [lines]);
  if (error || left.error.value || right.error.value) return html`<${Failed} error=${error || left.error.value || right.error.value} />`;
  if (!ready) return html`<${Loading} what="Aligning the calls" />`;
  const first = compared.aligned.first_difference;
  const show = (side) => (step) => setAt(Math.max(0, lines.findIndex((one) => one[side] === step)));
  const number = (...kinds) => lines.filter((one) => kinds.includes(one.kind)).length;
  return html`<div class="mirror">
    <div class="split wrap"><p class="quiet"
      role="status">${count(number("same"), "call")} the same on both sides, ${number("other_result")} with another answer, ${number("other_arguments")} with other arguments, ${number("only_a")} only left, ${number("only_b")} only right</p>
      <button disabled=${first === null} onClick=${() => setAt(first)}>First difference${first === null ? ": none" : ""}</button>
        </div>
    <div class="first-losses"><${FirstLoss} episode=${left} name="Left: first loss" show=${show("a")} /><${FirstLoss}
      episode=${right} name="Right: first loss" show=${show("b")} /></div>
    <input type="range" min="0" max=${Math.max(0, lines.length - 1)} value=${line} aria-label="Line"
      aria-valuetext=${`Line ${line + 1} of ${lines.length}, ${KINDS[lines[line]?.kind] ?? ""}`}
      onInput=${(event) => setAt(Number(event.currentTarget.value))} />
    ${lines.length ? html`<${Aligned} lines=${lines} at=${line} a=${left.calls.value} b=${right.calls.value} choose=${setAt} />`
      : html`<${Empty}>Neither made a call.<//>`}
    <div class="mirror-sides"><${Side} episode=${left} facts=${compared.a} name="Left" /><${Side}
      episode=${right} facts=${compared.b} name="Right" /></div>
    <${Checkpoints} a=${compared.a} b=${compared.b} />
  </div>`;
}

export function ComparePage() {
  const episodes = useEpisodes();
  const { a = "", b = "", line = "0" } = route.value.query;
  if (!episodes) return html`<${Loading} what="Reading the runs" />`;
  return html`<div class="compare-page"><h1>Compare</h1>
    <div class="filters" role="group" aria-label="Episodes">
      <${Chooser} label="Left" value=${a} episodes=${episodes} near=${b} choose=${(key) => go("compare", "", { a: key, b })} />
      <${Chooser} label="Right" value=${b} episodes=${episodes} near=${a} choose=${(key) => go("compare", "", { a, b: key })} />
    </div>
    ${a && b ? html`<${Mirror} key=${`${a} ${b}`} a=${a} b=${b} at=${Number.parseInt(line, 10) || 0} />`
      : html`<${Empty}>Choose two episodes, best of the same day.<//>`}
  </div>`;
}
