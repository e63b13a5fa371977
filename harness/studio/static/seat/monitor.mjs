// The monitor at a seat: each instrument is read by a call, and shows its last reading.
import { html } from "../parts/html.mjs";
import { Monitor } from "../apps/monitor.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold } from "./calls.mjs";

function Instruments({ seat, known, item }) {
  const page = item.startsWith("/"), server = item && !page;
  return html`<div class="acts"><div class="row">
      <${CallButton} seat=${seat} tool="monitor_list_services" words="Services" />
      <${CallButton} seat=${seat} tool="monitor_check_health" words="All servers" main />
      <${CallButton} seat=${seat} tool="monitor_list_alerts" words="Alerts" />
      <${CallButton} seat=${seat} tool="monitor_get_on_call" words="On call" /></div>
    <div class="row" role="group" aria-label="Load times of all pages"><span class="quiet small">All pages, last</span>${["1h", "24h", "7d"].map((window) => html`
      <${CallButton} seat=${seat} tool="monitor_get_summary" given=${{ window }} words=${window} about="load times of all pages" />`)}</div>
    ${page && html`<div class="row" role="group" aria-label=${`Load times of ${item}`}><b>${item}</b>${["1h", "24h", "7d"].map((window) => html`
      <${CallButton} seat=${seat} tool="monitor_get_load_times" given=${{ page: item, window }} words=${window} about=${`load times of ${item}`} />`)}</div>`}
    ${server && html`<div class="row"><b>${item}</b><${CallButton} seat=${seat} tool="monitor_check_health" given=${{ server: item }} words="Compare with before" />
      <${CallButton} seat=${seat} tool="monitor_read_logs" given=${{ server: item, lines: 60 }} words="Read its log" /></div>
      <${CallForm} seat=${seat} tool="monitor_start_maintenance" id=${`maintenance ${item}`} fixed=${{ server: item }} show=${["code"]} labels=${{ code: "Approval code" }} words="Start maintenance" side />`}
    ${known.services.servers.length > 0 && html`<${Fold} title="Pages and servers"><p class="chips">${[...known.services.pages.map((page) => [page.path, page.title]), ...known.services.servers.map((server) => [server.name, server.role])].map(([name, about]) => html`
      <button class="chip" onClick=${() => seat.open("monitor", name)}>${name} <span class="quiet">${about}</span></button>`)}</p><//>`}
    <${AsOf} seat=${seat} app="monitor" /></div>`;
}

export function SeatMonitor({ seat, ...shared }) {
  const known = seat.known.value.monitor, item = shared.item;
  const view = { ...known, load_times: known.times.get(item) ?? null, log: known.logs.get(item) ?? null };
  const actions = {
    side: html`<${Instruments} seat=${seat} known=${known} item=${item} />`,
    main: html`<${EveryTool} seat=${seat} app="monitor" />`,
  };
  return html`<${Monitor} view=${view} actions=${actions} ...${shared} />`;
}
