// The conversation of an episode with its model: messages sent, replies, and the usage of each turn.
import { ask } from "../parts/api.mjs";
import { Choice } from "../parts/fields.mjs";
import { html, useEffect, useRef, useState } from "../parts/html.mjs";
import { Failed, Loading } from "../parts/notes.mjs";
import { address, note, query, route } from "../parts/route.mjs";
import { count } from "../parts/words.mjs";

const ROLES = { system: "System prompt", user: "To the model", assistant: "Reply", tool: "Answer of a tool" };

/** For example "7,022 tokens read · 5,000 of them cached · 6 written · $0.0021". */
function took(usage) {
  if (!usage) return "";
  const number = (value) => value.toLocaleString("en"), said = [];
  if (usage.prompt_tokens !== null) said.push(`${number(usage.prompt_tokens)} tokens read`);
  if (usage.cached_tokens) said.push(`${number(usage.cached_tokens)} of them cached`);
  if (usage.completion_tokens !== null) said.push(`${number(usage.completion_tokens)} written`);
  if (usage.cost_usd !== null) said.push(`$${usage.cost_usd.toFixed(usage.cost_usd && usage.cost_usd < 0.1 ? 4 : 2)}`);
  return said.join(" · ");
}

function Call({ call }) {
  return html`<div class="asked-call"><p class="small"><b>${call.name}</b>${call.flaw && html` <span class="bad">cannot be read: ${call.flaw}</span>`}</p>
    <pre class="value" tabindex="0" role="group" aria-label=${`Arguments of ${call.name}`}>${call.arguments}</pre></div>`;
}

/** A message as JSON, drawn when it is opened. */
function Raw({ raw }) {
  const [open, setOpen] = useState(false);
  return html`<details class="fold" onToggle=${(event) => setOpen(event.currentTarget.open)}><summary>Raw JSON</summary>
    ${open && html`<pre class="value" tabindex="0" role="group" aria-label="Raw JSON">${JSON.stringify(raw, null, 1)}</pre>`}</details>`;
}

function Message({ message, path, number, episode, chosen }) {
  const reply = message.role === "assistant", title = reply && message.turn !== null ? `Turn ${message.turn}` : ROLES[message.role] ?? message.role;
  return html`<li class="said ${Object.hasOwn(ROLES, message.role) ? message.role : ""} ${chosen ? "chosen" : ""}" id=${`message-${message.place}`}>
    <div class="split wrap"><h2>${title}${message.note && html` <span class="tag none">${message.note}</span>`}</h2>
      <span class="quiet small">${[message.model, took(message.usage)].filter(Boolean).join(" · ")}</span></div>
    ${message.text ? html`<pre class="value" tabindex="0" role="group" aria-label=${title}>${message.text}</pre>` : !message.calls.length && html`<p class="quiet small">(empty)</p>`}
    ${message.calls.map((call) => html`<${Call} call=${call} />`)}
    ${message.lost.map((line) => html`<pre class="value failed">${line}</pre>`)}
    ${message.pictures.map((picture) => html`<p class="quiet small">a picture: ${picture}</p>`)}
    <div class="said-foot small">${message.step !== null && html`<a href=${address("episode", episode, { step: message.step })}>Step ${message.step}</a>`}
      ${reply && html`<a href=${`${path}/request${query({ number, message: message.place })}`} target="_blank" rel="noopener">The request as JSON</a>`}
      <${Raw} raw=${message.raw} /></div></li>`;
}

function Pager({ shown, total, turn }) {
  const last = Math.min(total, shown.top + shown.messages.length);
  if (total <= shown.at_once) return null;
  return html`<p class="turn"><button disabled=${!shown.top} onClick=${() => turn(Math.max(0, shown.top - shown.at_once))}>Earlier messages</button>
    <span class="quiet small">messages ${shown.top + 1} to ${last} of ${total}</span>
    <button disabled=${last >= total} onClick=${() => turn(shown.top + shown.at_once)}>Later messages</button></p>`;
}

function Which({ shown, choose }) {
  if (shown.conversations.length < 2) return null;
  return html`<${Choice} label="Conversation" value=${shown.number} set=${(number) => choose(Number(number))}>
    ${shown.conversations.map((line) => html`<option value=${line.number}>${line.number + 1} · ${count(line.messages, "message")}, ${count(line.replies, "reply", "replies")}${line.tools ? "" : ", without tools"}</option>`)}<//>`;
}

function Head({ facts, shown, choose }) {
  const used = took(shown.totals);
  return html`<div class="conversation-head"><div><p class="over"><a href=${address("runs", facts.run)}>${facts.run_name}</a> ·
      <a href=${address("episode", facts.episode)}>${facts.agent} · ${facts.scenario} · ${facts.day}</a></p>
    <h1>Conversation <span class="quiet">${facts.model}</span></h1>
    ${used && html`<p class="quiet small">In total: ${used}</p>`}</div><${Which} shown=${shown} choose=${choose} /></div>`;
}

export function ConversationPage({ id }) {
  const path = `/api/episodes/${id}/conversation`, list = useRef(null);
  const [facts, setFacts] = useState(null), [shown, setShown] = useState(null), [error, setError] = useState("");
  const [asked, setAsked] = useState(() => ({ ...route.peek().query }));
  useEffect(() => { ask(`/api/episodes/${id}`).then(setFacts, (failed) => setError(failed.message)); }, [id]);
  useEffect(() => { // the user followed another link to this page
    const { query: wanted } = route.value;
    if (JSON.stringify(wanted) !== JSON.stringify(asked)) setAsked({ ...wanted });
  }, [route.value]);
  useEffect(() => {
    let late = false;
    const given = ["number", "top", "turn", "step"].map((name) => [name, Number.parseInt(asked[name], 10)]).filter(([, value]) => value >= 0);
    ask(`${path}${query(Object.fromEntries(given))}`).then((page) => { if (!late) { setShown(page); setError(""); } }, (failed) => { if (!late) setError(failed.message); });
    return () => { late = true; };
  }, [asked, id]);
  useEffect(() => { list.current?.querySelector(".chosen")?.scrollIntoView({ block: "start" }); }, [shown]);
  const go = (wanted) => { setAsked(wanted); note("conversation", id, wanted); list.current?.scrollIntoView({ block: "start" }); };
  if (error) return html`<section class="conversation-page"><h1>Conversation</h1><${Failed} error=${error} /><p><a href=${address("episode", id)}>To the episode</a></p></section>`;
  if (!facts || !shown) return html`<${Loading} what="Reading the conversation" />`;
  const total = shown.conversations[shown.number].messages, pager = html`<${Pager} shown=${shown} total=${total} turn=${(top) => go({ number: shown.number, top })} />`;
  return html`<section class="conversation-page"><${Head} facts=${facts} shown=${shown} choose=${(number) => go({ number })} />
    ${pager}<ol class="said-list" ref=${list} aria-label="Messages">${shown.messages.map((message) => html`<${Message} key=${`${shown.number}-${message.place}`} message=${message} path=${path}
      number=${shown.number} episode=${id} chosen=${message.place === shown.asked} />`)}</ol>${pager}</section>`;
}
