// The drive, the mail and the calendar of an own office on its first morning, as an agent sees them.
import { post } from "./api.mjs";
import { AppPane } from "./app_pane.mjs";
import { Episode } from "./episode_model.mjs";
import { html, useEffect, useState } from "./html.mjs";
import { Failed, Loading } from "./notes.mjs";
import { note, route } from "./route.mjs";

const SHOWN = ["files", "sheets", "mail", "calendar"];

function Morning({ office, episode }) {
  const { app, item } = episode;
  useEffect(() => () => episode.close(), [episode]);
  useEffect(() => { // the user followed a link to another file
    const asked = route.value.query;
    if (asked.app && (asked.app !== app.peek() || (asked.item ?? "") !== item.peek())) episode.open(asked.app, asked.item ?? "");
  }, [route.value]);
  useEffect(() => { note("office", office, { part: "drive", app: app.value, item: item.value }); }, [app.value, item.value]);
  if (!episode.facts.value) return episode.error.value ? html`<${Failed} error=${episode.error.value} />` : html`<${Loading} what="Opening the drive" />`;
  return html`<div class="office-drive"><${AppPane} episode=${episode} apps=${SHOWN} label="Drive, mail and calendar" /></div>
    ${episode.error.value && html`<${Failed} error=${episode.error.value} />`}`;
}

export function Drive({ page }) {
  const [episode, setEpisode] = useState(null), [error, setError] = useState("");
  useEffect(() => {
    const { app = "files", item = "" } = route.peek().query;
    setEpisode(null); setError("");
    post(`/api/offices/${page.name}/worlds`).then((opened) => setEpisode(new Episode(opened.episode, { app, item, step: "0" })), (failed) => setError(failed.message));
  }, [page.reference]);
  return html`<section aria-label="Drive"><p class="over">${page.company}</p><h1>Drive, mail, calendar</h1>
    <p class="quiet">The first morning, before any task, as an agent sees it.</p>
    ${error ? html`<${Failed} error=${error} />` : episode ? html`<${Morning} key=${episode.key} office=${page.name} episode=${episode} />` : html`<${Loading} what="Opening the drive" />`}</section>`;
}
