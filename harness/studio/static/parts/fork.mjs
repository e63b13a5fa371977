// Go on from the step in sight with another agent, in a run of its own.
import { ask, post } from "./api.mjs";
import { goWhenBegun } from "./begun.mjs";
import { AttendanceFields, Field } from "./choosing.mjs";
import { html, useRef, useState } from "./html.mjs";

export function Fork({ episode }) {
  const dialog = useRef(null), [page, setPage] = useState(null), [error, setError] = useState(""), [busy, setBusy] = useState(false);
  const [agent, setAgent] = useState("oracle"), [model, setModel] = useState("");
  const [attendance, setAttendance] = useState({ policy: [], patience: null, paused: false });
  const step = episode.step.value;
  const open = async () => {
    setError("");
    dialog.current.showModal();
    try { setPage(await ask("/api/start")); } catch (failed) { setError(failed.message); }
  };
  const needs = page?.choices.agents.find((one) => one.name === agent)?.needs_model;
  const begin = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      const begun = await post(`${episode.path}/fork`, { step, agents: [agent], models: needs ? [model] : [], attendance });
      await goWhenBegun(begun.episode, begun.job);
      dialog.current.close();
    } catch (failed) { setError(failed.message); }
    setBusy(false);
  };
  return html`<button onClick=${open} title="Let another agent go on from this step">Go on from here</button>
    <dialog ref=${dialog} aria-labelledby="fork-title"><form class="fork" onSubmit=${begin}>
      <h2 id="fork-title">Go on from step ${step}</h2>
      <p class="quiet small">Another agent takes the day over as it stands after this step, in a run of its own. Its result is never counted among whole days.</p>
      ${error && html`<p class="warning small" role="alert">${error}</p>`}
      ${page && html`<div class="filters"><${Field} label="Agent"><select value=${agent} onChange=${(event) => setAgent(event.currentTarget.value)}>
          ${page.choices.agents.map((one) => html`<option value=${one.name}>${one.name}</option>`)}</select><//>
        ${needs && html`<${Field} label="Model"><select required value=${model} onChange=${(event) => setModel(event.currentTarget.value)}>
          <option value="">choose a model</option>${[...page.choices.models, ...page.choices.scripted].map((name) => html`<option>${name}</option>`)}</select><//>`}</div>
        <p class="quiet small">${page.choices.agents.find((one) => one.name === agent)?.about}</p>
        <${AttendanceFields} value=${attendance} set=${setAttendance} policy=${page.policy} />`}
      <div class="dialog-buttons"><button type="submit" class="strong" disabled=${!page || busy}>${busy ? "Beginning …" : "Go on"}</button>
        <button type="button" onClick=${() => dialog.current.close()}>Cancel</button></div></form></dialog>`;
}
