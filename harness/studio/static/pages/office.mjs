// An own office, for its author: the company and its people, the drive, and each task with its certificate.
import { ask } from "../parts/api.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Failed, Loading } from "../parts/notes.mjs";
import { Company } from "../parts/office_company.mjs";
import { Drive } from "../parts/office_drive.mjs";
import { Task } from "../parts/office_task.mjs";
import { offices } from "../parts/offices.mjs";
import { address, route } from "../parts/route.mjs";

function Places({ page, part, task }) {
  const place = (name, words, small, current, values) => html`<li key=${name}><a class="item" href=${address("office", page.name, values)} aria-current=${current ? "true" : undefined}>
    <b>${words}</b>${small}</a></li>`;
  const others = offices.value.filter((office) => office.name !== page.name);
  return html`<nav class="runs-list office-list" aria-label="Parts of the office"><h2>Office</h2><ul class="list">
      ${place("company", "Company and people", null, !part && !task, {})}${place("drive", "Drive, mail, calendar", null, part === "drive", { part: "drive" })}</ul>
    <h2>Tasks</h2><ul class="list">${page.tasks.map((each) => place(each.name, each.title, html`<span class="quiet small">${each.broken.length
      ? html`<span class="bad">${each.broken.join(", ")} broke</span>` : each.badge}</span>`, each.name === task, { task: each.name }))}</ul>
    ${others.length > 0 && html`<h2>Other offices</h2><ul class="list">${others.map((office) => html`<li key=${office.name}><a class="item" href=${address("office", office.name)}><b>${office.company}</b></a></li>`)}</ul>`}</nav>`;
}

function Office({ name }) {
  const { part = "", task = "", seed = "" } = route.value.query;
  const [page, setPage] = useState(null), [error, setError] = useState("");
  useEffect(() => { // again for each part, since the author may have edited the folder
    const stop = new AbortController();
    ask(`/api/offices/${name}`, stop.signal).then((found) => { setPage(found); setError(""); }, (failed) => { if (!stop.signal.aborted) setError(failed.message); });
    return () => stop.abort();
  }, [name, part, task]);
  if (error) return html`<${Failed} error=${error} />`;
  if (!page) return html`<${Loading} what="Reading the office" />`;
  return html`<div class="runs-page office-page"><${Places} page=${page} part=${part} task=${task} />
    <div class="runs-main office-main">${task ? html`<${Task} office=${name} name=${task} seed=${seed} />` : part === "drive" ? html`<${Drive} page=${page} />` : html`<${Company} page=${page} />`}</div></div>`;
}

export function OfficePage({ id }) {
  if (!offices.value) return html`<${Loading} what="Looking for offices" />`;
  const name = id || offices.value[0]?.name;
  if (name) return html`<${Office} key=${name} name=${name} />`;
  return html`<section class="live-page"><h1>No office is open</h1><p>Open one with <code>trainee-bench studio --office FOLDER</code>. <code>trainee-bench office new nordlicht</code> writes a folder to begin with.</p></section>`;
}
