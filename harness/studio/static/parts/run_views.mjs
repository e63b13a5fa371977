// The two views of the runs: one run as days and agents, and the episodes of all.
import { html } from "./html.mjs";
import { address } from "./route.mjs";

/** `path` is that of the run that is shown, `number` its number; both may be missing. */
export function RunViews({ current, path = "", number = "" }) {
  const link = (page, to, words) => html`<a href=${to} aria-current=${current === page ? "page" : undefined}>${words}</a>`;
  return html`<nav class="views" aria-label="Views">
    ${link("runs", address("runs", number), "Days and agents")}${link("episodes", address("episodes", "", { run: path }), "Episodes")}</nav>`;
}
