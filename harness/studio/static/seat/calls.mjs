// Buttons and forms that make calls. Each shows the cost of its call before it is pressed.
import { html, useEffect, useId, useRef, useState } from "../parts/html.mjs";
import { plain, when } from "../parts/words.mjs";

const PATHS = new Set(["path", "source", "target", "folder"]);
const LONG = new Set(["text", "body", "agenda", "note"]);

/** A button that makes one call with the arguments `given`; `about` adds a description for screen readers. */
export function CallButton({ seat, tool, given = {}, words, main = false, disabled = false, done, about }) {
  if (!seat.tools.value.has(tool) || !seat.working.value) return null;
  const press = async () => {
    if (seat.busy.value || disabled) return;
    if (await seat.make(tool, given, words)) done?.();
  };
  return html`<button type="button" class="priced ${main ? "main-action" : ""} ${seat.busy.value === tool ? "busy" : ""}" onClick=${press}
    aria-disabled=${Boolean(seat.busy.value) || disabled}>${words}${about && html`<span class="hidden"> ${about}</span>`} ${!disabled && html`<span class="price">${seat.cost(tool, given).words}</span>`}</button>`;
}

function kindOf(name, schema) {
  if (schema.enum) return "choice";
  if (schema.type === "boolean") return "yes";
  if (schema.type === "integer" || schema.type === "number") return "number";
  if (schema.type === "array") return schema.items?.type === "string" ? "lines" : "json";
  if (schema.type === "string") return LONG.has(name) ? "long" : "word";
  return "json";
}

/** The arguments for a form's texts. Throws an Error that names the field. */
function argumentsOf(names, schema, values, fixed) {
  const given = { ...fixed }, required = new Set(schema.required ?? []);
  for (const name of names) {
    const kind = kindOf(name, schema.properties[name]), value = values[name] ?? "";
    if (kind === "yes") { if (value !== "" && value !== (schema.properties[name].default ?? false)) given[name] = value; continue; }
    if (value === "" && !required.has(name)) continue;
    if (kind === "number") given[name] = Number(value);
    else if (kind === "lines") given[name] = String(value).split("\n").map((line) => line.trim()).filter(Boolean);
    else if (kind === "json") {
      try { given[name] = JSON.parse(value); } catch { throw new Error(`${plain(name)} must be JSON.`); }
    } else given[name] = value;
  }
  return given;
}

function Field({ name, schema, value, set, id, label, rows }) {
  const kind = kindOf(name, schema), common = { id, name, onInput: (event) => set(event.currentTarget.value) };
  const hint = kind === "lines" ? "one on each line" : kind === "json" ? "as JSON" : "";
  const title = html`<label for=${id}>${label ?? plain(name)}${hint && html`<span class="small"> · ${hint}</span>`}</label>`;
  if (kind === "yes") return html`<div class="field check"><input type="checkbox" ...${common} checked=${value === "" ? schema.default ?? false : value}
    onInput=${undefined} onChange=${(event) => set(event.currentTarget.checked)} />${title}</div>`;
  if (kind === "choice") return html`<div class="field">${title}<select ...${common} onInput=${undefined} onChange=${common.onInput} value=${value}>
    ${value === "" && html`<option value="">–</option>`}${schema.enum.map((option) => html`<option value=${option}>${plain(option)}</option>`)}</select></div>`;
  if (kind === "number") return html`<div class="field short">${title}<input type="number" ...${common} value=${value} placeholder=${schema.default ?? ""} /></div>`;
  if (kind === "word") return html`<div class="field">${title}<input type="text" dir="auto" ...${common} value=${value} title=${schema.description ?? ""}
    list=${PATHS.has(name) ? "known-paths" : undefined} placeholder=${schema.default ?? ""} autocomplete="off" spellcheck="false" /></div>`;
  return html`<div class="field">${title}<textarea dir="auto" ...${common} rows=${rows ?? (kind === "long" ? 4 : 2)} value=${value} title=${schema.description ?? ""}
    spellcheck=${kind === "long"}></textarea></div>`;
}

/** A form for one tool. `fixed` are arguments that it always sends, `show` the fields in order, `start` their initial values. */
export function CallForm({ seat, tool, id, fixed = {}, show, words, labels = {}, start = {}, rows = {}, done, side = false, label }) {
  const form = id ?? tool, listed = seat.tools.value.get(tool), unique = useId();
  const [flaw, setFlaw] = useState("");
  if (!listed || !seat.working.value) return null;
  const schema = listed.input_schema, names = show ?? Object.keys(schema.properties ?? {}).filter((name) => !(name in fixed));
  const values = { ...start, ...seat.draft(form) };
  let cost;
  try { cost = seat.cost(tool, argumentsOf(names, schema, values, fixed)).words; } catch { cost = seat.cost(tool, fixed).words; }
  const send = async (event) => {
    event.preventDefault();
    if (seat.busy.value) return;
    try {
      setFlaw("");
      const given = argumentsOf(names, schema, values, fixed);
      if (await seat.make(tool, given, words)) { seat.drop(form); done?.(); }
    } catch (error) { setFlaw(error.message); }
  };
  return html`<form class="call-form ${side ? "in-line" : ""}" onSubmit=${send} aria-label=${label ?? words} autocomplete="off">
    ${names.map((name) => html`<${Field} key=${name} name=${name} schema=${schema.properties[name]} id=${`${unique}-${name}`} rows=${rows[name]}
      label=${labels[name]} value=${values[name] ?? ""} set=${(value) => seat.write(form, { [name]: value })} />`)}
    ${flaw && html`<p class="warning small" role="alert">${flaw}</p>`}
    <p class="send"><button class="priced main-action" aria-disabled=${Boolean(seat.busy.value)}>${words} <span class="price">${cost}</span></button></p>
  </form>`;
}

/** A part that opens without any cost, such as a composer. */
export function Fold({ title, children, open = false }) {
  const [shown, setShown] = useState(open);
  return html`<details class="fold act" open=${open} onToggle=${(event) => setShown(event.currentTarget.open)}><summary>${title}</summary>
    ${shown && html`<div class="fold-body">${children}</div>`}</details>`;
}

/** Every tool of an app as a form, for tools without their own controls. */
export function EveryTool({ seat, app }) {
  const tools = [...seat.tools.value.values()].filter((tool) => tool.name.startsWith(`${app}_`) && tool.name !== "desk_finish_day");
  return html`<${Fold} title=${`All ${tools.length} tools of ${app}`}>${tools.map((tool) => html`<${Fold} key=${tool.name} title=${tool.name}>
    <p class="quiet small">${tool.description}</p>
    <${CallForm} seat=${seat} tool=${tool.name} id=${`every ${tool.name}`} words="Call" label=${tool.name} /><//>`)}<//>`;
}

/** The question before a call that cannot be undone or takes much time. */
export function Confirm({ seat }) {
  const box = useRef(null), asked = seat.confirming.value;
  useEffect(() => {
    if (!asked || box.current.open) return;
    box.current.showModal();
    if (asked.lost) box.current.querySelector(".back").focus();
  }, [asked]);
  if (!asked) return null;
  const named = Object.entries(asked.given).filter(([, value]) => ["string", "number"].includes(typeof value) && String(value).length < 80);
  const answer = (yes) => { box.current.close(); asked.answer(yes); };
  return html`<dialog ref=${box} class="ask-back" aria-labelledby="question" onCancel=${(event) => { event.preventDefault(); answer(false); }}>
    <h2 id="question">${asked.words}?</h2>
    <p>${asked.lost ? `This cannot be undone. ${asked.lost}` : "Time that has passed does not come back."}</p>
    <p class="quiet">It takes ${/^[≤\d]/.test(asked.cost.words) ? "" : "the "}${asked.cost.words}.</p>
    ${named.length > 0 && html`<dl class="head">${named.map(([name, value]) => html`<dt>${plain(name)}</dt><dd>${value}</dd>`)}</dl>`}
    <p class="row"><button class="priced main-action" onClick=${() => answer(true)}>${asked.words}<span class="price">${asked.cost.words}</span></button>
      <button class="back" onClick=${() => answer(false)}>Back</button></p>
  </dialog>`;
}

/** The paths in all answers so far, offered wherever a path is typed. */
export function KnownPaths({ seat }) {
  return html`<datalist id="known-paths">${seat.paths.value.map((path) => html`<option value=${path} />`)}</datalist>`;
}

/** "Inbox as of 09:12 · sent as of 08:40": when each list of an app was last read, or that none has been read yet. */
export function AsOf({ seat, app }) {
  const now = seat.state.value.now, lists = Object.entries(seat.known.value.asOf[app] ?? {});
  const said = lists.map(([name, time]) => `${name} as of ${when(time, now)}`).join(" · ");
  const asked = seat.calls.value.some((call) => call.tool.startsWith(`${app}_`));
  return html`<p class="quiet small as-of">${said ? said.charAt(0).toUpperCase() + said.slice(1) : asked ? "" : "Not looked at yet"}</p>`;
}

/** "Read 09:12", for the opened item. */
export function ReadAt({ seat, time, words = "Read" }) {
  return time ? html`<span class="quiet small read-at">${words} ${when(time, seat.state.value.now)}</span>` : "";
}
