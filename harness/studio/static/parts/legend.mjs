// The legend of a timeline; it lists only the marks that occur.
import { html } from "./html.mjs";
import { CALL_TITLES, hue } from "./words.mjs";

function Item({ kind, children }) { return html`<li><i class="key ${kind}" aria-hidden="true"></i>${children}</li>`; }

/** The apps that were called, in the studio's order; unknown apps share a colour. */
function appsOf(calls) {
  const called = new Set(calls.filter((call) => call.ok).map((call) => call.app));
  const known = Object.keys(CALL_TITLES).filter((app) => called.has(app));
  return [...known.map((app) => [hue(app), CALL_TITLES[app]]), ...([...called].some((app) => !(app in CALL_TITLES)) ? [[hue(""), "other"]] : [])];
}

export function Legend({ calls, timeline, meetings, curve, flagged }) {
  const tasks = timeline?.tasks ?? [], inexact = curve?.points.some((point) => !point.exact);
  return html`<ul class="legend small quiet" aria-label="Legend">
    ${curve && html`<${Item} kind="possible">still possible<//>`}
    ${inexact && html`<${Item} kind="possible least">at least this much<//>`}
    ${curve?.losses.length > 0 && html`<${Item} kind="cost">cost something<//>`}
    ${curve?.losses.some((loss) => loss.harmful) && html`<${Item} kind="harm">harm<//>`}
    ${tasks.length > 0 && html`<${Item} kind="task">given to due<//>`}
    ${tasks.some((task) => task.submitted.length) && html`<${Item} kind="handed">handed in<//>`}
    ${meetings.some((meeting) => meeting.attended) && html`<${Item} kind="went">meeting attended<//>`}
    ${meetings.some((meeting) => !meeting.attended) && html`<${Item} kind="missed">not attended<//>`}
    ${appsOf(calls).map(([kind, title]) => html`<${Item} kind=${`app ${kind}`}>${title}<//>`)}
    ${calls.some((call) => !call.ok) && html`<${Item} kind="app failed">failed call<//>`}
    ${flagged && html`<li><i class="key flag-sign" aria-hidden="true">⚑</i>flag</li>`}
  </ul>`;
}
