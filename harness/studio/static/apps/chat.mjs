// The chat: people and groups with messages, and one conversation. An item is the number of a message, the
// id of a group, or "@" and a person or group.
import { html, useLayoutEffect, useRef, useState } from "../parts/html.mjs";
import { Name, Names } from "../parts/names.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";
import { count, nameOf, when } from "../parts/words.mjs";

const GROUP = /^G\d+$/;
const DRAWN = 120;

function peerOf(message, me) { return GROUP.test(message.to) ? message.to : message.sender === me ? message.to : message.sender; }

/** The person or group whose conversation an item belongs to. */
function conversationOf(item, view) {
  if (GROUP.test(item)) return item;
  if (item.startsWith("@")) {
    const wanted = item.slice(1).toLowerCase();
    const person = view.people.find((person) => person.id === wanted || person.name.toLowerCase() === wanted);
    return person?.id ?? item.slice(1);
  }
  const message = view.messages.find((message) => String(message.id) === item);
  return message ? peerOf(message, view.me) : "";
}

function Talk({ messages, names, view, changed, now, item, origin }) {
  const box = useRef(null);
  useLayoutEffect(() => {
    const chosen = box.current.querySelector(".chosen, .added:last-of-type");
    if (chosen) box.current.scrollTop = chosen.offsetTop - 40; else box.current.scrollTop = box.current.scrollHeight;
  }, [item, messages.length]);
  const shown = messages.slice(-DRAWN);
  return html`<div class="talk" ref=${box} tabindex="0" role="group" aria-label="Messages"><ol>
    ${messages.length > shown.length && html`<li class="quiet small">${messages.length - shown.length} earlier messages</li>`}
    ${shown.map((message) => html`<li key=${message.id}
      class="message ${message.sender === view.me ? "mine" : ""} ${changed[message.id] ?? ""} ${String(message.id) === item ? "chosen" : ""}">
      <p class="small quiet"><${Name} name=${names[message.sender] ?? nameOf(message.sender)} /> · ${when(message.at, now)} · ${message.id}${message.answers ? ` · answers ${message.answers}` : ""}${message.automatic ? " · automatic" : ""}</p>
      <pre class="text">${message.text}</pre>
      ${String(message.id) === item && html`<${OriginButton} origin=${origin} />`}
    </li>`)}
  </ol></div>`;
}

/** The directory entry of a person, without the name. */
function card(person, now) {
  const hours = [person.away && `away until ${when(person.away, now)}`, `at work ${person.hours}`];
  return [person.id, `${person.title}, ${person.department}`, ...hours].filter(Boolean).join(" · ");
}

/** The directory, drawn once it is opened. */
function People({ people, now, open, select, begin }) {
  const [shown, setShown] = useState(begin);
  return html`<details class="fold people" open=${begin} onToggle=${(event) => setShown(event.currentTarget.open)}>
    <summary>${count(people.length, "person", "people")}</summary>
    ${shown && html`<ul class="list">${people.map((person) => html`<li key=${person.id}>
      <button class="item" aria-current=${person.id === open} onClick=${() => select(`@${person.id}`)}><b><${Name} name=${person.name} /></b><span
        class="quiet small">${card(person, now)}</span></button>
        </li>`)}</ul>`}</details>`;
}

export function Chat({ view, item, changed, now, select, origin, actions = {} }) {
  const names = Object.fromEntries([...view.people.map((person) => [person.id, person.name]), ...view.groups.map((group) => [group.id, `${group.id} · ${group.name}`]), [view.me, "You"]]);
  const peers = new Map();
  for (const message of view.messages) {
    const peer = peerOf(message, view.me);
    const known = peers.get(peer) ?? { number: 0, fresh: false };
    peers.delete(peer);
    peers.set(peer, { number: known.number + 1, fresh: known.fresh || message.id in changed, last: message });
  }
  for (const group of view.groups) if (!peers.has(group.id)) peers.set(group.id, { number: 0, fresh: group.id in changed, last: null });
  const open = conversationOf(item, view) || (actions.chosen ? "" : [...peers.keys()].at(-1)) || "";
  const messages = view.messages.filter((message) => peerOf(message, view.me) === open);
  const group = view.groups.find((group) => group.id === open), person = view.people.find((person) => person.id === open);
  return html`<div class="app two chat">
    <div class="side">${actions.side}${peers.size ? html`<ul class="list">${[...peers].reverse().map(([peer, { number, fresh, last }]) => html`<li
      key=${peer}>
      <button class="item ${fresh ? "added" : ""}" aria-current=${peer === open} onClick=${() => select(`@${peer}`)}>
        <span class="split"><b><${Name} name=${names[peer] ?? nameOf(peer)} /></b><span class="quiet small">${last ? when(last.at, now) : ""}</span>
          </span>
        <span class="quiet small one-line">${last ? last.text : "no messages"}</span><span class="hidden">${number} messages</span>
          </button></li>`)}</ul>`
      : html`<${Empty}>Nobody has written yet.<//>`}
      <${People} key=${actions.chosen ? view.people.length : ""} people=${view.people} now=${now} open=${open} select=${select}
        begin=${Boolean(actions.chosen) && view.people.length > 0} /></div>
    <div class="main">
      ${open && html`<div class="split talk-head"><h3><${Name} name=${names[open] ?? nameOf(open)} /></h3>
        <span class="quiet small">${group ? html`<${Names} names=${group.members.map((id) => names[id] ?? nameOf(id))} />` : person ? card(person, now) : ""}</span></div>`}
      ${messages.length ? html`<${Talk} messages=${messages} names=${names} view=${view} changed=${changed} now=${now} item=${item}
        origin=${origin} />`
        : actions.empty ?? html`<${Empty}>No messages at this moment.<//>`}
      ${actions.main}
    </div>
  </div>`;
}
