// Guiding an agent: pause and step, calls that need approval, hints in order, a message.
import { html, useState } from "./html.mjs";
import { address } from "./route.mjs";
import { clock, count, hue } from "./words.mjs";

const KINDS = { hint: "Hint", message: "Message", approved: "Approved", refused: "Refused" };
const LONG = 200;

function Pace({ guidance }) {
  const { pace, held, asks } = guidance.control.value;
  const state = asks.length ? "waits for you" : held ? html`paused before <code>${held}</code>` : pace === "pause" ? "pauses at its next call" : "works";
  return html`<div class="pace"><div class="segments" role="group" aria-label="Pace">
    <button aria-pressed=${pace === "pause"} onClick=${() => guidance.act("control", { do: "pause" })}>Pause</button>
    <button disabled=${!held} onClick=${() => guidance.act("control", { do: "step" })}>Step</button>
    <button aria-pressed=${pace === "go"} onClick=${() => guidance.act("control", { do: "go" })}>Go</button></div>
    <span class="quiet small" role="status" aria-label="Agent">${state}</span></div>`;
}

function Value({ name, value }) {
  const text = typeof value === "string" ? value : JSON.stringify(value);
  if (text.length < LONG) return html`<pre class="value">${text}</pre>`;
  return html`<pre class="value long" tabindex="0" role="group" aria-label=${name}>${text}</pre>`;
}

function Ask({ ask, guidance }) {
  const [why, setWhy] = useState(""), [sent, setSent] = useState(false);
  const verdict = async (allow) => {
    setSent(true);
    if (!(await guidance.act("answer", { ask: ask.ask, allow, why }))) setSent(false);
  };
  const app = ask.tool.split("_")[0];
  return html`<article class="ask" aria-label=${`Approval of ${ask.tool}`}>
    <p class="split"><b class=${hue(app)}><i class="dot"></i> ${ask.tool}</b><span class="quiet small">${clock(ask.at)}</span></p>
    <p class="small">asks for approval: ${ask.reason}</p>
    <dl class="arguments">${Object.entries(ask.arguments).map(([name, value]) => html`<dt>${name}</dt><dd><${Value}
      name=${name} value=${value} /></dd>`)}</dl>
    <form class="verdict" onSubmit=${(event) => { event.preventDefault(); verdict(false); }}>
      <label class="hidden" for=${`why-${ask.ask}`}>Reason for a refusal</label>
      <input id=${`why-${ask.ask}`} type="text" placeholder="Reason, if you refuse" maxlength="500" value=${why}
        onInput=${(event) => setWhy(event.currentTarget.value)} />
      <button type="button" class="strong" disabled=${sent} onClick=${() => verdict(true)}>Approve</button><button type="submit" disabled=${sent}>Refuse</button>
    </form></article>`;
}

function TaskHint({ task, guidance }) {
  const [open, setOpen] = useState(0), [sent, setSent] = useState(false);
  const next = task.opened + 1;
  const give = async () => {
    setSent(true);
    if (await guidance.act("hint", { task: task.task, tier: next })) setOpen(0);
    setSent(false);
  };
  return html`<li class="task-hint"><div class="split"><span class="one-line" title=${task.title}><b>${task.task}</b> ${task.title}</span>
    <span class="tiers" role="group" aria-label=${`Hints on ${task.task}`}>${task.tiers.map((tier, place) => html`<button
      class=${place < task.opened ? "given" : ""} disabled=${place !== task.opened} aria-expanded=${place === task.opened ? open === next : undefined}
      title=${`${place + 1}: ${tier}${place < task.opened ? ", given" : ""}`} aria-label=${`Hint ${place + 1} on ${task.task}: ${tier}${place < task.opened ? ", given" : ""}`}
      onClick=${() => setOpen(open === next ? 0 : next)}>${place < task.opened ? "✓" : place + 1}</button>`)}</span></div>
    ${open === next && task.next && html`<div class="preview"><p class="small">${task.next}</p>
      <button class="strong" disabled=${sent} onClick=${give}>Give this hint</button> <button onClick=${() => setOpen(0)}>Cancel</button></div>`}</li>`;
}

function Message({ guidance }) {
  const [text, setText] = useState(""), [sent, setSent] = useState(false);
  const send = async (event) => {
    event.preventDefault();
    setSent(true);
    if (await guidance.act("say", { text })) setText("");
    setSent(false);
  };
  return html`<form class="write" onSubmit=${send}><label class="hidden" for="say">Message to the agent</label>
    <textarea id="say" rows="2" maxlength="2000" placeholder="Write to the agent" value=${text}
      onInput=${(event) => setText(event.currentTarget.value)}></textarea>
    <button type="submit" disabled=${sent || !text.trim()}>Send</button></form>`;
}

/** The guidance given so far; a line goes to its step. */
export function GivenGuidance({ given, choose, latestFirst }) {
  if (!given.length) return html`<p class="quiet small">Nothing yet. All guidance is recorded in the result.</p>`;
  return html`<ol class="given-list">${(latestFirst ? [...given].reverse() : given).map((act) => html`<li key=${act.step} class=${`given-${act.kind}`}>
    <button class="plain" onClick=${() => choose(act.step)}><span class="quiet">${clock(act.at)}</span> <b>${KINDS[act.kind]}${act.tier ? ` ${act.tier}` : ""}</b>
      ${" "}<span class="quiet">${act.task ?? (act.kind === "message" ? "" : act.tool)}</span></button>
    ${act.text && html`<span class="small">${act.text}</span>`}</li>`)}</ol>`;
}

export function GuidancePane({ guidance, choose }) {
  const { control, thinks, questions, plays_colleagues: plays, tasks, given } = guidance.facts.value;
  return html`<section class="pane guide-pane" aria-label="Guidance"><div class="scroll" tabindex="0" role="group" aria-label="Guidance, details">
    <${Pace} guidance=${guidance} />
    ${guidance.error.value && html`<p class="warning small" role="alert">${guidance.error.value}</p>`}
    ${thinks && (control.held || control.asks.length > 0) && html`<p class="thinks small" tabindex="0" role="group" aria-label="What the agent says"><span class="quiet">The agent says:</span> ${thinks}</p>`}
    <div aria-live="polite">${control.asks.map((ask) => html`<${Ask} key=${ask.ask} ask=${ask} guidance=${guidance} />`)}</div>
    ${plays && html`<p class="small"><a href=${address("colleague", guidance.key)}>Answer as a colleague</a>${questions.length ? html` <b
      class="tag live">${count(questions.length, "question")}</b>` : ""}</p>`}
    <h3>Hints</h3>
    ${tasks.length ? html`<ul>${tasks.map((task) => html`<${TaskHint} key=${`${task.task} ${task.opened}`} task=${task}
      guidance=${guidance} />`)}</ul>` : html`<p class="quiet small">The agent has no task yet.</p>`}
    <h3>Message</h3>
    <${Message} guidance=${guidance} />
    ${guidance.said.value && html`<p class="quiet small" role="status">${guidance.said.value}</p>`}
    <h3>Given</h3>
    <${GivenGuidance} given=${given} choose=${choose} latestFirst=${true} />
  </div></section>`;
}
