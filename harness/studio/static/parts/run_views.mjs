// The views of the runs: one run by days and agents, its overview, all episodes; and the documents of the run.
import { html } from "./html.mjs";
import { address } from "./route.mjs";

/** `path` and `number` are those of the shown run, `documents` the documents in its folder; all may be missing. */
export function RunViews({ current, path = "", number = "", documents = [] }) {
  const link = (page, to, words) => html`<a href=${to} aria-current=${current === page ? "page" : undefined}>${words}</a>`;
  return html`<div class="views-row"><nav class="views" aria-label="Views">
    ${link("runs", address("runs", number), "Days and agents")}${number !== "" && link("overview", address("overview", number), "Overview")}${link("episodes", address("episodes", "", { run: path }), "Episodes")}</nav>
    ${documents.length > 0 && html`<span class="documents">${documents.map((document) => html`<a key=${document.title} href=${document.address} target="_blank" rel="noopener">${document.title}<span
      class="hidden">, in a new tab</span> <span aria-hidden="true">↗</span></a>`)}</span>`}</div>`;
}
