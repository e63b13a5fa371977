// All calls of an episode, with search and a filter by app.
import { html, useRef } from "./html.mjs";
import { Rows } from "./rows.mjs";
import { clock, count, hue, plain } from "./words.mjs";

const HEIGHT = 30;

export function CallRow({ call, current, place, total, id, choose, flagged = false }) {
  const kind = `call ${hue(call.app)}${call.ok ? "" : " failed"}${current ? " current" : ""}`;
  return html`<div class=${kind} role="option" id=${id} key=${call.step} aria-selected=${current}
    aria-setsize=${total} aria-posinset=${place + 1} onClick=${() => choose(call.step)}>
    <span class="number">${call.step}</span><span class="time">${clock(call.at)}</span><i class="dot"></i>
    <span class="tool">${call.actor ? call.tool : plain(call.tool)}</span>
    <span class="brief">${call.ok ? call.brief : `failed · ${call.brief}`}</span>${flagged && html`<i class="flag-sign"><span aria-hidden="true">⚑</span><span class="hidden">flagged</span></i>`}
  </div>`;
}

/** `episode` is the model of an episode (see episode_model.mjs). */
export function CallList({ episode }) {
  const field = useRef(null);
  const { calls, step, found, search, appFilter } = episode;
  const all = calls.value, hits = found.value, only = appFilter.value;
  const shown = all.filter((call) => (!hits || hits.has(call.step)) && (!only || call.app === only));
  const apps = [...new Set(all.map((call) => call.app))].sort();
  const flagged = new Set(episode.flags.all.value.map((flag) => flag.step));
  const current = shown.findIndex((call) => call.step === step.value);
  episode.focusSearch = () => field.current?.focus();
  const searching = (event) => {
    if (event.key === "Escape") { episode.find(""); event.currentTarget.blur(); }
    else if (event.key === "Enter") { event.preventDefault(); episode.goToFound(event.shiftKey ? -1 : 1); }
  };
  const move = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 12, PageUp: -12 }[event.key];
    if (by === undefined || !shown.length) return;
    event.preventDefault();
    const before = shown.filter((call) => call.step <= step.value).length - 1;
    const next = shown[Math.max(0, Math.min(shown.length - 1, before + by))];
    episode.choose(next.step);
  };
  return html`<section class="pane calls" aria-label="Calls">
    <div class="pane-head">
      <input type="search" ref=${field} placeholder="Search" aria-label="Search calls, answers and thoughts"
        value=${search.value} onInput=${(event) => episode.find(event.currentTarget.value)}
        onKeyDown=${searching} />
      <select aria-label="Calls of" value=${only} onChange=${(event) => { appFilter.value = event.currentTarget.value; }}>
        <option value="">all apps</option>
        ${apps.map((app) => html`<option value=${app}>${app}</option>`)}
      </select>
    </div>
    ${shown.length > 0 && html`<${Rows} count=${shown.length} height=${HEIGHT} current=${current}
      attributes=${{ role: "listbox", tabIndex: 0, "aria-label": "Calls", onKeyDown: move, "aria-activedescendant": current >= 0 ? `call-${step.value}` : undefined }}
      row=${(n) => html`<${CallRow} call=${shown[n]} place=${n} total=${shown.length} id=${`call-${shown[n].step}`}
        flagged=${flagged.has(shown[n].step)} current=${shown[n].step === step.value} choose=${episode.choose} />`} />`}
    <p class="pane-foot quiet small split"><span role="status">${hits || only ? `${shown.length} of ${count(all.length, "call")}` : count(all.length, "call")}</span>
      ${hits?.size > 0 && html`<span class="found-steps"><button class="plain" onClick=${() => episode.goToFound(-1)} aria-label="Previous call found">↑</button>
        <button class="plain" onClick=${() => episode.goToFound(1)} aria-label="Next call found" title="Enter in the search, or n">↓ next</button></span>`}</p>
  </section>`;
}
