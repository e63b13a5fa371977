// The calendar: the day as a column of hours with its meetings, later days as a list, the opened meeting.
import { html } from "../parts/html.mjs";
import { Name } from "../parts/names.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";
import { clock, dayOf, minutes, nameOf, plain, when } from "../parts/words.mjs";

function Block({ meeting, from, total, open, changed, select }) {
  const top = (100 * (minutes(meeting.starts) - from)) / total;
  const height = (100 * (minutes(meeting.ends) - minutes(meeting.starts))) / total;
  const kind = meeting.cancelled ? "off" : meeting.attended ? "went" : "";
  return html`<button class="block ${kind} ${changed ?? ""}" aria-current=${open} style=${{ top: `${top}%`, height: `${height}%` }}
    onClick=${() => select(meeting.id)}>
    <b>${meeting.title}</b><span>${clock(meeting.starts)}–${clock(meeting.ends)} · ${meeting.room.replaceAll("_", " ")}</span>
  </button>`;
}

function Day({ view, item, changed, select, today }) {
  const from = Math.floor(minutes(view.day_starts) / 60) * 60, to = Math.ceil(minutes(view.day_ends) / 60) * 60;
  const hours = [];
  for (let at = from; at <= to; at += 60) hours.push(at);
  const now = (100 * (minutes(view.now) - from)) / (to - from);
  return html`<div class="day-column">
    ${hours.map((at) => html`<span class="hour"
      style=${{ top: `${(100 * (at - from)) / (to - from)}%` }}>${new Date(at * 60000).toISOString().slice(11, 16)}</span>`)}
    ${today.map((meeting) => html`<${Block} key=${meeting.id} meeting=${meeting} from=${from} total=${to - from}
      open=${String(meeting.id) === item} changed=${changed[meeting.id]} select=${select} />`)}
    ${now >= 0 && now <= 100 && html`<i class="now" style=${{ top: `${now}%` }}></i>`}
  </div>`;
}

function Opened({ details, names, now, origin, changed }) {
  const { meeting } = details, guests = Object.entries(details.answers).filter(([id]) => id !== meeting.organizer);
  return html`<article class="opened ${changed ?? ""}">
    <div class="split"><h3>${meeting.title}</h3><${OriginButton} origin=${origin} /></div>
    <dl class="head"><dt>When</dt>
      <dd>${when(meeting.starts, now)} to ${clock(meeting.ends)}, ${meeting.room.replaceAll("_", " ")}</dd>
      <dt>By</dt><dd><${Name} name=${nameOf(meeting.organizer, names)} /></dd>
      <dt>Invited</dt>
        <dd>${guests.length ? guests.map(([id, answer], at) => html`${at ? ", " : ""}<${Name} name=${nameOf(id, names)} /> (${plain(answer)})`) : "nobody else"}</dd>
      <dt>State</dt><dd>${meeting.cancelled ? "cancelled" : meeting.attended ? "attended" : plain(meeting.your_answer)}${details.came ? `, you came at ${details.came}` : ""}</dd></dl>
    ${details.agenda && html`<h4>Agenda</h4><pre class="text">${details.agenda}</pre>`}
    ${details.minutes_text && html`<h4>Minutes</h4><pre class="text">${details.minutes_text}</pre>`}
    ${details.announcements.length > 0 && html`<h4>Announced</h4><ul
      class="bullets">${details.announcements.map((text) => html`<li>${text}</li>`)}</ul>`}
  </article>`;
}

export function Calendar({ view, item, changed, now, select, origin, actions = {} }) {
  const date = view.day_starts.slice(0, 10);
  const today = view.meetings.filter((meeting) => meeting.starts.slice(0, 10) === date);
  const later = view.meetings.filter((meeting) => meeting.starts.slice(0, 10) !== date);
  return html`<div class="app two calendar">
    <div class="side">${actions.side}
      <h3 class="pad-side">${dayOf(view.day_starts)}</h3>
      <${Day} view=${view} item=${item} changed=${changed} select=${select} today=${today} />
      ${later.length > 0 && html`<h3 class="pad-side">Later</h3><ul class="list">${later.map((meeting) => html`<li
        key=${meeting.id}>
        <button class="item ${changed[meeting.id] ?? ""}" aria-current=${String(meeting.id) === item}
          onClick=${() => select(meeting.id)}>
          <b>${meeting.title}</b><span class="quiet small">${when(meeting.starts, now)} to ${clock(meeting.ends)}</span></button>
            </li>`)}</ul>`}
    </div>
    <div class="main">${view.meeting ? html`<${Opened} details=${view.meeting} names=${view.names} now=${now} origin=${origin}
      changed=${changed[view.meeting.meeting.id]} />`
      : html`<${Empty}>${view.meetings.length ? "Choose a meeting." : "No meetings at this moment."}<//>`}${actions.main}</div>
  </div>`;
}
