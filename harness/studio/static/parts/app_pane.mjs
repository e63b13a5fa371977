// The apps of a state: a tab for each, and the component of the chosen one. A component gets
//   view      the content of the app, from `harness/studio/views` or a tool's answer
//   item      the id of the opened item; `select(item)` opens a different one
//   changed   the items that the step changed, by id; `within` the changed parts of the opened one
//   origin    goes back to the step that changed the item, or a part of it; null where there is no past
//   picture   the address of a picture among the files
//   page      `{ sheet, top, turn(sheet, top) }`: the part of a long item that is shown
//   actions   the controls of a person's seat: `side` is shown above the list, `main` below the opened
//             item, `empty` while nothing is opened; see seat/
// Without actions, components are read-only.
import { html, useLayoutEffect, useRef } from "./html.mjs";
import { Empty, Loading } from "./notes.mjs";
import { Tabs } from "./tabs.mjs";
import { APP_TITLES, APPS, clock, hue } from "./words.mjs";
import { pictureAddress, served } from "./api.mjs";
import { address, query } from "./route.mjs";
import { Mail } from "../apps/mail.mjs";
import { Calendar } from "../apps/calendar.mjs";
import { Chat } from "../apps/chat.mjs";
import { Files } from "../apps/files.mjs";
import { Sheets } from "../apps/sheets.mjs";
import { Monitor } from "../apps/monitor.mjs";
import { Desk } from "../apps/desk.mjs";

export const COMPONENTS = { mail: Mail, calendar: Calendar, chat: Chat, files: Files, sheets: Sheets, monitor: Monitor, desk: Desk };

/** Scroll an app's list to the opened item, if it is out of sight. */
function showCurrent(panel) {
  const list = panel?.querySelector(".side"), current = list?.querySelector("[aria-current=true]");
  if (!current || !list.clientHeight) return;
  const from = current.getBoundingClientRect().top - list.getBoundingClientRect().top;
  if (from < 0 || from + current.offsetHeight > list.clientHeight) list.scrollTop += from - list.clientHeight / 3;
}

/** A link to the differences of the opened file or table. */
function Differences({ episode }) {
  const path = served && ["files", "sheets"].includes(episode.app.value) && episode.item.value;
  return path && html`<a href=${address("difference", episode.key, { path, step: episode.step.value, from: 0 })}>Differences</a>`;
}

/** `episode` is the model of an episode; `id` distinguishes two panes on one page. With its own list of `apps`, the
 * pane shows one moment and follows no calls. */
export function AppPane({ episode, id = "app", label = "Apps", apps = APPS }) {
  const { app, item, state, details, follow, originMissing, sheet, top } = episode;
  const changes = details.value?.changes ?? {};
  const follows = apps === APPS;
  const tabs = apps.map((name) => ({ id: name, title: APP_TITLES[name], kind: hue(name), mark: Object.keys(changes[name] ?? {}).length || "" }));
  const shown = state.value?.app === app.value ? state.value : null, old = episode.stateIsOld.value;
  const panel = useRef(null);
  useLayoutEffect(() => showCurrent(panel.current), [shown, item.value]);
  const picture = (path) => pictureAddress(`${episode.path}/state/${shown?.step ?? 0}/files/picture${query({ item: path })}`);
  const page = { sheet: sheet.value, top: top.value, turn: (name, row) => { sheet.value = name; top.value = row; } };
  return html`<section class="pane app-pane" aria-label=${label}>
    <div class="pane-head">
      <${Tabs} tabs=${tabs} current=${app.value} choose=${(name) => episode.open(name, "")} label=${label} panel=${`${id}-panel`} />
      ${follows && html`<label class="follow"><input type="checkbox" checked=${follow.value}
        onChange=${(event) => { follow.value = event.currentTarget.checked; if (follow.value) episode.load(episode.step.value); }} />
        Follow calls</label>`}
    </div>
    <div class="panel ${old ? "old" : ""}" aria-busy=${old} ref=${panel} id=${`${id}-panel`} role="tabpanel"
      aria-label=${APP_TITLES[app.value]}>
      <h2 class="hidden">${APP_TITLES[app.value]}</h2>
      ${shown ? html`<${COMPONENTS[shown.app]} view=${shown.view} item=${item.value} changed=${shown.changed} within=${shown.within}
          now=${shown.now} select=${(next) => episode.open(app.value, String(next))} origin=${follows ? (part) => episode.goToOrigin(part) : null}
          picture=${picture} page=${page} />`
        : old ? html`<${Loading} />` : html`<${Empty}>This moment cannot be shown.<//>`}
    </div>
    <p class="pane-foot quiet small split"><span role="status">${shown && !old ? `As of ${clock(shown.now)}` : ""}${originMissing.value ? ` · ${originMissing.value}` : ""}</span>
      ${follows && html`<${Differences} episode=${episode} />`}</p>
  </section>`;
}
