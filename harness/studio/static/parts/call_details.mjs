// One call in full: its arguments, its answer, its changes, and the agent's thought.
import { html } from "./html.mjs";
import { Empty, Loading } from "./notes.mjs";
import { clock, count, hue, lasting, plain } from "./words.mjs";

const LONG = 700;

/** A value as text: lists of plain values in one line, other lists with a line for each. */
function written(value) {
  if (typeof value === "string") return value;
  if (!Array.isArray(value)) return JSON.stringify(value, null, 1);
  if (value.every((item) => typeof item !== "object")) return value.join(", ");
  return value.map((item) => JSON.stringify(item)).join("\n");
}

/** An argument; a long one has a separate box. */
function Value({ name, value }) {
  const text = written(value);
  if (text.length < LONG) return html`<pre class="value">${text}</pre>`;
  return html`<pre class="value long" tabindex="0" role="group" aria-label=${name}>${text}</pre>`;
}

/** The changes of the step, as buttons that open them. */
function Changes({ changes, open }) {
  const items = Object.entries(changes).flatMap(([app, ids]) => Object.entries(ids).map(([id, kind]) => ({ app, id, kind })));
  if (!items.length) return html`<p class="quiet small">It changed nothing.</p>`;
  const shown = items.slice(0, 24);
  return html`<ul class="chips">
    ${shown.map(({ app, id, kind }) => html`<li><button class="chip ${hue(app)}" onClick=${() => open(app, id)}>
      <i class="dot"></i>${app} ${id} <span class="quiet">${kind}</span></button></li>`)}
    ${items.length > shown.length && html`<li class="quiet small">and ${items.length - shown.length} more</li>`}
  </ul>`;
}

/** `conversation(turn)` is the address of the turn in the conversation, if there is one. */
function Thought({ thought, conversation }) {
  if (!thought || !(thought.message || thought.reasoning)) return null;
  const turn = conversation ? html`<a href=${conversation(thought.turn)}>turn ${thought.turn}</a>` : `turn ${thought.turn}`;
  return html`<h3>Thought <span class="quiet">· ${turn}${thought.model ? `, ${thought.model}` : ""}</span></h3>
    ${thought.reasoning && html`<pre class="value thought">${thought.reasoning}</pre>`}
    ${thought.message && html`<pre class="value thought">${thought.message}</pre>`}`;
}

/** `details` is the answer of `/steps/{n}`, null before the first call, undefined until it is known, false
 * if it cannot be shown. `open(app, item)` shows an item; `cost` shows the step's cost, if known;
 * `flag(call)` draws its flag; `old` says that the details belong to a different step than requested. */
export function CallDetails({ details, starts, open, cost, conversation, label = "Call", flag, old = false }) {
  if (details === undefined) return html`<section class="pane call-pane" aria-label=${label}><${Loading} /></section>`;
  if (details === false) return html`<section class="pane call-pane" aria-label=${label}><${Empty}>This step cannot be shown.<//></section>`;
  if (!details) {
    return html`<section class="pane call-pane" aria-label=${label}><div class="scroll ${old ? "old" : ""}" aria-busy=${old} tabindex="0" role="group"
      aria-label=${`${label}, details`}>
      <h2>Morning</h2><p class="quiet">${clock(starts)}. The day has not begun. This is the state that the agent finds.</p></div></section>`;
  }
  const { call } = details;
  const given = Object.entries(details.arguments);
  return html`<section class="pane call-pane" aria-label=${label}><div class="scroll ${old ? "old" : ""}" aria-busy=${old} tabindex="0" role="group"
    aria-label=${`${label}, details`} data-step=${call.step}>
    <h2 class=${hue(call.app)}><i class="dot"></i>${call.actor ? call.tool : plain(call.tool)}</h2>
    <p class="quiet small">Step ${call.step} · ${clock(call.at)} to ${clock(call.until)}, ${lasting(call.at, call.until)}
      ${call.ok ? "" : html` · <span class="bad">failed</span>`}${call.actor ? "" : " · the world itself"}</p>
    ${details.refused_by && html`<p class="warning small">Refused from outside: ${details.refused_by}</p>`}
    ${flag?.(call)}
    ${cost}
    <${Thought} thought=${details.thought} conversation=${conversation} />
    ${given.length > 0 && html`<h3>Arguments</h3><dl class="arguments">${given.map(([name, value]) => html`
      <dt>${name}</dt><dd><${Value} name=${name} value=${value} /></dd>`)}</dl>`}
    <h3>Answer</h3>
    <pre class="value answer ${call.ok ? "" : "failed"}">${details.text || "(empty)"}</pre>
    ${details.notices.length > 0 && html`<h3>${count(details.notices.length, "notice")}</h3>
      <ul class="notices">${details.notices.map((notice) => html`<li><span
        class="quiet">${clock(notice.at)}</span> ${notice.text}</li>`)}</ul>`}
    <h3>Changed</h3>
    <${Changes} changes=${details.changes} open=${open} />
  </div></section>`;
}
