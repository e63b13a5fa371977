// Continuing from the shown step in a new run, by another agent or by the user.
import { ask, post } from "./api.mjs";
import { goWhenBegun } from "./begun.mjs";
import { AttendanceFields } from "./choosing.mjs";
import { Field } from "./fields.mjs";
import { html, useRef, useState } from "./html.mjs";
import { go } from "./route.mjs";

const ABOUT = {
  agent: "It takes over the day after this step. A model first reads what was said and seen until then.",
  me: "You take the seat after this step. You can read everything that was asked and answered until then.",
};

function AgentFields({ page, agent, setAgent, model, setModel, needs, attendance, setAttendance }) {
  return html`<div class="filters"><${Field} label="Agent"><select value=${agent} onChange=${(event) => setAgent(event.currentTarget.value)}>
      ${page.choices.agents.map((agent) => html`<option value=${agent.name}>${agent.name}</option>`)}</select><//>
    ${needs && html`<${Field} label="Model"><select required value=${model} onChange=${(event) => setModel(event.currentTarget.value)}>
      <option value="">choose a model</option>${[...page.choices.models, ...page.choices.scripted].map((name) => html`<option>${name}</option>`)}</select><//>`}</div>
    <p class="quiet small">${page.choices.agents.find((choice) => choice.name === agent)?.about}</p>
    <${AttendanceFields} value=${attendance} set=${setAttendance} policy=${page.policy} />`;
}

export function Fork({ episode }) {
  const dialog = useRef(null), [page, setPage] = useState(null), [error, setError] = useState(""), [busy, setBusy] = useState(false);
  const [who, setWho] = useState("agent"), [person, setPerson] = useState("");
  const [agent, setAgent] = useState("oracle"), [model, setModel] = useState("");
  const [attendance, setAttendance] = useState({ policy: [], patience: null, paused: false });
  const step = episode.step.value, week = episode.facts.value.week;
  const open = async () => {
    setError("");
    dialog.current.showModal();
    if (week) return;
    try { setPage(await ask("/api/start")); } catch (failed) { setError(failed.message); }
  };
  const needs = page?.choices.agents.find((choice) => choice.name === agent)?.needs_model;
  const begin = async (event) => {
    event.preventDefault();
    setBusy(true);
    try {
      if (who === "me") go("seat", (await post("/api/seats/go-on", { episode: episode.key, step, person })).seat);
      else {
        const begun = await post(`${episode.path}/fork`, { step, agents: [agent], models: needs ? [model] : [], attendance });
        await goWhenBegun(begun.episode, begun.job);
      }
      dialog.current?.close();
    } catch (failed) { setError(failed.message); }
    setBusy(false);
  };
  const button = html`<button onClick=${open} title="Continue from this step, yourself or with another agent">Go on from here</button>`;
  if (week) {
    return html`${button}<dialog ref=${dialog} aria-labelledby="fork-title"><h2 id="fork-title">A week cannot be continued</h2>
      <p class="quiet small">It has one agent for each day, so it cannot be continued from a step.</p>
      <div class="dialog-buttons"><button type="button" onClick=${() => dialog.current.close()}>Close</button></div></dialog>`;
  }
  const choice = (name, words) => html`<label><input type="radio" name="who" value=${name} checked=${who === name} onChange=${() => setWho(name)} /> ${words}</label>`;
  return html`${button}
    <dialog ref=${dialog} aria-labelledby="fork-title"><form class="fork" onSubmit=${begin}>
      <h2 id="fork-title">Go on from step ${step}</h2>
      <fieldset class="ticks-of"><legend>Who goes on</legend>${choice("agent", "Another agent")}${choice("me", "I take the seat")}</fieldset>
      <p class="quiet small">${ABOUT[who]} The result is a separate run and is never counted among whole days.</p>
      ${error && html`<p class="warning small" role="alert">${error}</p>`}
      ${who === "me" && html`<div class="filters"><${Field} label="Your id in the results (optional)"><input type="text" value=${person} maxlength="32" pattern="[A-Za-z0-9_\\-]*"
        autocomplete="off" onInput=${(event) => setPerson(event.currentTarget.value)} /><//></div>`}
      ${who === "agent" && page && html`<${AgentFields} ...${{ page, agent, setAgent, model, setModel, needs, attendance, setAttendance }} />`}
      <div class="dialog-buttons"><button type="submit" class="strong" disabled=${busy || (who === "agent" && !page)}>${busy ? "Starting …" : "Go on"}</button>
        <button type="button" onClick=${() => dialog.current.close()}>Cancel</button></div></form></dialog>`;
}
