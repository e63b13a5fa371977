// Flags that people put on steps, each with a note. They are saved in the run's folder, so that others find them.
import { ask, post, served } from "./api.mjs";
import { Field } from "./fields.mjs";
import { html, signal, useEffect, useRef, useState } from "./html.mjs";
import { clock, plain } from "./words.mjs";

const MOST = 2000;

/** The flags of the episode at `path`, by step; `flaw` says why it cannot have any. */
export class Flags {
  constructor(path) {
    this.path = `${path}/flags`;
    this.all = signal([]);
    this.flaw = signal("");
  }

  async load() {
    if (!served) return;
    this.take(await ask(this.path).catch((error) => ({ flags: [], flaw: error.message })));
  }

  take({ flags, flaw }) { this.all.value = flags; this.flaw.value = flaw; }

  on(step) { return this.all.value.find((flag) => flag.step === step) ?? null; }

  async put(step, note) { this.take(await post(this.path, { step, note })); }

  async remove(step) { this.take(await post(`${this.path}/remove`, { step })); }
}

function Form({ flag, save, cancel }) {
  const field = useRef(null);
  const [note, setNote] = useState(flag?.note ?? "");
  useEffect(() => field.current.focus(), []);
  const keys = (event) => {
    if (event.key === "Escape") cancel();
    else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) save(note);
  };
  return html`<form class="flag-form" onSubmit=${(event) => { event.preventDefault(); save(note); }}>
    <${Field} label="Note (optional)"><textarea ref=${field} rows="3" maxlength=${MOST} value=${note} onKeyDown=${keys}
      onInput=${(event) => setNote(event.currentTarget.value)}></textarea><//>
    <div class="buttons"><button>Save</button><button type="button" onClick=${cancel}>Cancel</button></div></form>`;
}

/** The flag on the step of `call`, to read, write and delete. */
export function StepFlag({ flags, call }) {
  const [editing, setEditing] = useState(false), [error, setError] = useState("");
  useEffect(() => { setEditing(false); setError(""); }, [call.step]);
  if (!served) return null;
  const flag = flags.on(call.step), flaw = flags.flaw.value;
  if (flaw) return html`<p class="quiet small">${flaw}</p>`;
  const attempt = (done) => done.then(() => { setEditing(false); setError(""); }, (failed) => setError(failed.message));
  return html`<div class="step-flag ${flag ? "is-set" : ""}" role="group" aria-label="Flag">
    ${editing ? html`<${Form} flag=${flag} save=${(note) => attempt(flags.put(call.step, note))} cancel=${() => setEditing(false)} />`
      : flag ? html`<p class="note-text"><i class="flag-sign" aria-hidden="true">⚑</i> ${flag.note || "Flagged"}</p>
        ${flag.tool !== call.tool.slice(0, flag.tool.length || 1) && html`<p class="warning small">Written for an earlier attempt, in which this step was ${plain(flag.tool)} at ${clock(flag.at)}.</p>`}
        <div class="buttons"><button onClick=${() => setEditing(true)}>Edit note</button><button onClick=${() => attempt(flags.remove(call.step))}>Delete flag</button></div>`
        : html`<button onClick=${() => setEditing(true)}><span aria-hidden="true">⚑ </span>Flag this step</button>`}
    ${error && html`<p class="warning small" role="alert">${error}</p>`}</div>`;
}

/** The flags at their positions on the axis of a timeline. */
export function FlagMarks({ flags, axis }) {
  if (!flags?.length) return null;
  return html`<div class="flag-marks" aria-hidden="true">${flags.map((flag) => html`<i key=${flag.step} class="flag-sign"
    style=${{ left: `${100 * axis.at(flag.step)}%` }} title=${`Step ${flag.step}: ${flag.note || "flagged"}`}>⚑</i>`)}</div>`;
}
