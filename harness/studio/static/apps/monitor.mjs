// The monitor of the website: alerts, load times of pages, servers, a chart or a log.
import { html } from "../parts/html.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";
import { clock, when } from "../parts/words.mjs";

const WIDE = 640, HIGH = 170, LEFT = 44, BELOW = 22;

/** ", read 09:12": the time at which a person at a seat read it; "" if the state itself is shown. */
function readAt(reading, now) { return reading.read ? `, read ${when(reading.read, now)}` : ""; }

function Chart({ times, now }) {
  const points = times.points;
  const most = Math.max(200, ...points.map((point) => point.load_ms));
  const x = (n) => LEFT + ((WIDE - LEFT - 8) * n) / Math.max(1, points.length - 1);
  const y = (value) => 8 + (HIGH - BELOW - 8) * (1 - value / most);
  const line = (name) => points.map((point, n) => `${n ? "L" : "M"}${x(n).toFixed(1)} ${y(point[name]).toFixed(1)}`).join("");
  const scale = [0, Math.round(most / 2), most];
  return html`<figure class="chart"><svg viewBox="0 0 ${WIDE} ${HIGH}" role="img"
    aria-label=${`Load times of ${times.page}, last ${times.window}${readAt(times, now)}; the table below has the numbers`}>
      ${scale.map((value) => html`<line x1=${LEFT} x2=${WIDE - 8} y1=${y(value)} y2=${y(value)} />
        <text x=${LEFT - 6} y=${y(value) + 4} text-anchor="end">${value}</text>`)}
      ${points.map((point, n) => n % 6 === 0 && html`<text x=${x(n)} y=${HIGH - 4} text-anchor="middle">${clock(point.at)}</text>`)}
      <path class="first" d=${line("first_byte_ms")} /><path class="load" d=${line("load_ms")} />
    </svg>
    <figcaption class="small quiet">${times.page}, last ${times.window}${readAt(times, now)}: load time in ms, and below it the time to the first byte</figcaption></figure>
    <details class="fold"><summary>The numbers</summary><div class="wide" tabindex="0" role="group" aria-label="Load times"><table>
      <thead><tr><th scope="col">Until</th><th scope="col">Load ms</th><th scope="col">First byte</th><th scope="col">Transfer</th>
        </tr></thead>
      <tbody>${points.map((point) => html`<tr><td>${when(point.at, now)}</td><td>${point.load_ms}</td>
        <td>${point.first_byte_ms}</td><td>${point.transfer_ms}</td></tr>`)}</tbody></table></div></details>`;
}

function Log({ log, now }) {
  return html`<h3>Log of ${log.server}${readAt(log, now)}</h3>${log.lines.length ? html`<div class="code log" tabindex="0" role="group"
    aria-label="Log"><ol>${log.lines.map((line) => html`<li><code>${when(line.at, now)} ${line.text}</code></li>`)}</ol></div>`
    : html`<${Empty}>No lines.<//>`}`;
}

function Pages({ view, item, select }) {
  return html`<div class="wide" tabindex="0" role="group" aria-label="Pages"><table class="pages">
    <caption>Pages, last ${view.summary.window}${readAt(view.summary, view.now)}</caption>
    <thead><tr><th scope="col">Page</th><th scope="col">Median</th><th scope="col">95 %</th><th scope="col">First byte</th>
      <th scope="col">Transfer</th></tr></thead>
    <tbody>${view.summary.pages.map((page) => html`<tr key=${page.page} class=${page.page === item ? "chosen" : ""}>
      <td><button class="plain" onClick=${() => select(page.page)}>${page.page}</button></td><td>${page.median_ms}</td>
        <td>${page.p95_ms}</td><td>${page.first_byte_ms}</td><td>${page.transfer_ms}</td></tr>`)}</tbody></table></div>`;
}

function Servers({ view, item, changed, select }) {
  const read = view.health.readings.some((reading) => reading.read);
  return html`<div class="wide" tabindex="0" role="group" aria-label="Servers"><table class="pages">
    <caption>Servers${read ? "" : `, ${clock(view.now)}`}</caption>
    <thead><tr><th scope="col">Server</th><th scope="col">CPU %</th><th scope="col">Mem %</th><th scope="col">Disk %</th>
      <th scope="col">Wait ms</th><th scope="col">Cache %</th><th scope="col">Mbit/s</th><th scope="col">Errors</th>
      <th scope="col">Release</th>${read && html`<th scope="col">Read</th>`}</tr></thead>
    <tbody>${view.health.readings.map((reading) => html`<tr key=${reading.server}
      class="${reading.server === item ? "chosen" : ""} ${changed[reading.server] ?? ""}">
      <td><button class="plain" onClick=${() => select(reading.server)}>${reading.server}</button>${view.health.maintenance[reading.server]
        ? html` <span class="tag part">maintenance ${clock(view.health.maintenance[reading.server])}</span>` : ""}</td>
      <td>${reading.cpu_percent}</td><td>${reading.memory_percent}</td><td>${reading.disk_percent}</td><td>${reading.disk_wait_ms}</td>
        <td>${reading.cache_hit_percent}</td><td>${reading.output_mbit}</td><td>${reading.errors_per_minute}</td><td>${reading.release}</td>${read && html`<td>${when(reading.read, view.now)}</td>`}
        </tr>`)}</tbody></table></div>`;
}

export function Monitor({ view, item, changed, now, select, origin, actions = {} }) {
  return html`<div class="app monitor">${actions.side}
    ${view.alerts.read && html`<p class="quiet small">${view.alerts.alerts.length ? "Alerts" : "No alerts"}${readAt(view.alerts, view.now)}</p>`}
    <ul class="alerts">${view.alerts.alerts.map((alert) => html`<li><b>${alert.about}</b> ${alert.text}</li>`)}</ul>
    ${view.load_times && html`<${Chart} times=${view.load_times} now=${now} />`}
    ${view.log && html`<${Log} log=${view.log} now=${now} />`}
    ${view.health.maintenance[item] && html`<${OriginButton} origin=${origin} words="What put it into maintenance" />`}
    ${view.summary.pages.length > 0 && html`<${Pages} view=${view} item=${item} select=${select} />`}
    ${view.health.readings.length > 0 && html`<${Servers} view=${view} item=${item} changed=${changed} select=${select} />`}
    ${actions.main}
  </div>`;
}
