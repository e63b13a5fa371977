// How the day of an episode can be worked: the report's picture, loaded when the user opens it.
import { ask } from "./api.mjs";
import { html, useState } from "./html.mjs";
import { Failed, Loading } from "./notes.mjs";

/** An element from the studio's form (name, attributes, children); texts stay texts. */
function draw(node) {
  if (typeof node === "string") return node;
  const [name, attributes, children] = node;
  return html`<${name} ...${attributes}>${children.map(draw)}<//>`;
}

/** For a finished episode; before the end, nobody is shown what is right. */
export function HonestDay({ id }) {
  const [days, setDays] = useState(null), [error, setError] = useState("");
  const opened = (event) => {
    if (event.currentTarget.open && !days) ask(`/api/episodes/${id}/honest`).then((work) => { setDays(work.days); setError(""); }, (failed) => setError(failed.message));
  };
  return html`<details class="fold band honest" onToggle=${opened}><summary>How this day can be worked</summary>
    <p class="quiet small">The needs of each task, and the calls of an honest worker that met each need, from the morning on. A part that several needs share is shown where it was met first.</p>
    ${error ? html`<${Failed} error=${error} />` : !days ? html`<${Loading} what="Working the day" />`
      : days.map((day) => html`${days.length > 1 && html`<h3>${day.date}</h3>`}<div class="scroll" tabindex="0" role="group" aria-label=${`How ${day.date} can be worked`}>${draw(day.picture)}</div>`)}
  </details>`;
}
