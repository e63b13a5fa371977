// How a day can be worked: the report's picture, loaded when it is looked at.
import { ask } from "./api.mjs";
import { html, useEffect, useState } from "./html.mjs";
import { Failed, Loading } from "./notes.mjs";

/** An element from the studio's form (name, attributes, children); texts stay texts. */
function draw(node) {
  if (typeof node === "string") return node;
  const [name, attributes, children] = node;
  return html`<${name} ...${attributes}>${children.map(draw)}<//>`;
}

/** The picture of the day at `path`, or of each day of its week. */
export function HonestWork({ path }) {
  const [days, setDays] = useState(null), [error, setError] = useState("");
  useEffect(() => {
    const stop = new AbortController();
    setDays(null); setError("");
    ask(path, stop.signal).then((work) => setDays(work.days), (failed) => { if (!stop.signal.aborted) setError(failed.message); });
    return () => stop.abort();
  }, [path]);
  return html`<div class="honest"><p class="quiet small">The needs of each task, and the calls of an honest worker that met each need, from the morning on. A part that several needs share is shown where it was met first.</p>
    ${error ? html`<${Failed} error=${error} />` : !days ? html`<${Loading} what="Working the day" />`
      : days.map((day) => html`${days.length > 1 && html`<h3>${day.date}</h3>`}<div class="scroll" tabindex="0" role="group" aria-label=${`How ${day.date} can be worked`}>${draw(day.picture)}</div>`)}</div>`;
}

/** For a finished episode; before the end, nobody is shown what is right. */
export function HonestDay({ id }) {
  const [opened, setOpened] = useState(false);
  return html`<details class="fold band" onToggle=${(event) => { if (event.currentTarget.open) setOpened(true); }}><summary>How this day can be worked</summary>
    ${opened && html`<${HonestWork} path=${`/api/episodes/${id}/honest`} />`}</details>`;
}
