// Opens another folder of runs, and looks for new runs in the open ones.
import { post } from "./api.mjs";
import { Field } from "./fields.mjs";
import { html, useState } from "./html.mjs";
import { go } from "./route.mjs";
import { count } from "./words.mjs";

/** `reload` is called when the runs may have changed. */
export function OpenFolder({ reload }) {
  const [path, setPath] = useState(""), [said, setSaid] = useState(""), [error, setError] = useState("");
  const attempt = async (asked) => {
    setSaid(""); setError("");
    try { setSaid(await asked()); } catch (failed) { setError(failed.message); }
  };
  const open = (event) => {
    event.preventDefault();
    attempt(async () => {
      const { runs } = await post("/api/folders", { path });
      setPath("");
      await reload();
      go("runs", runs[0]);
      return `Opened: ${count(runs.length, "run")}.`;
    });
  };
  const rescan = () => attempt(async () => {
    const found = await post("/api/folders/rescan");
    await reload();
    return found.new ? `${count(found.new, "new run")}.` : `No new runs; ${count(found.runs, "run")} in total.`;
  });
  return html`<form class="open-folder" onSubmit=${open}>
    <${Field} label="Open a folder of runs"><input type="text" required maxlength="4000" placeholder="runs, or ~/work/runs" spellcheck="false" autocapitalize="off"
      autocomplete="off" value=${path} onInput=${(event) => setPath(event.currentTarget.value)} /><//>
    <div class="buttons"><button>Open</button><button type="button" onClick=${rescan} title="Look for new runs in all open folders">Rescan</button></div>
    <p class="quiet small" role="status">${said}</p>${error && html`<p class="warning small" role="alert">${error}</p>`}</form>`;
}
