// The settings of a run, on the page Start and when continuing from a step: agents, models, and how people
// take part.
import { Field } from "./fields.mjs";
import { html } from "./html.mjs";

export const RULES = { "@destructive": "tools that overwrite or remove", "@outsiders": "mail to outsiders" };
export const ACTIONS = { allow: "allow", ask: "ask me", refuse: "refuse" };

/** A number that may be left out (null). */
export function NumberField({ label, note, value, set, min = 1, step = 1, placeholder = "no limit" }) {
  return html`<${Field} label=${label} note=${note}><input type="number" min=${min} step=${step} placeholder=${placeholder} value=${value ?? ""}
    onInput=${(event) => set(event.currentTarget.value === "" ? null : Number(event.currentTarget.value))} /><//>`;
}

/** Names as checkboxes. */
export function Ticks({ label, names, chosen, set, about = {} }) {
  return html`<fieldset class="ticks-of"><legend>${label}</legend>${names.map((name) => html`<label key=${name}
    title=${about[name]}><input type="checkbox" checked=${chosen.includes(name)}
    onChange=${(event) => set(event.currentTarget.checked ? [...chosen, name] : chosen.filter((other) => other !== name))} /> ${name}</label>`)}</fieldset>`;
}

/** The approval rules; the first that matches a call decides. */
export function Policy({ rules, set }) {
  const change = (place, part) => set(rules.map((rule, at) => (at === place ? { ...rule, ...part } : rule)));
  return html`<table class="policy"><caption class="hidden">Approval rules; the first that matches decides</caption>
    <thead><tr><th scope="col">Calls</th><th scope="col">Then</th><th scope="col">Reason told</th><th><span class="hidden">Remove</span></th></tr></thead>
    <tbody>${rules.map((rule, place) => html`<tr><td><input type="text" list="patterns" aria-label=${`Calls of rule ${place + 1}`} value=${rule.pattern}
      title=${RULES[rule.pattern]} onInput=${(event) => change(place, { pattern: event.currentTarget.value })} /></td>
      <td><select aria-label=${`Action of rule ${place + 1}`} value=${rule.action} onChange=${(event) => change(place, { action: event.currentTarget.value })}>
        ${Object.entries(ACTIONS).map(([name, title]) => html`<option value=${name}>${title}</option>`)}</select></td>
      <td><input type="text" aria-label=${`Reason of rule ${place + 1}`} disabled=${rule.action !== "refuse"} value=${rule.why ?? ""}
        onInput=${(event) => change(place, { why: event.currentTarget.value })} /></td>
      <td><button type="button" aria-label=${`Remove rule ${place + 1}`} onClick=${() => set(rules.filter((_, at) => at !== place))}>✕</button></td></tr>`)}</tbody>
    </table><datalist id="patterns">${["@destructive", "@outsiders", "terminal_*", "mail_*", "*"].map((pattern) => html`<option value=${pattern} />`)}</datalist>
    <p class="quiet small"><button type="button" onClick=${() => set([...rules, { pattern: "mail_*", action: "ask", why: "" }])}>Add a rule</button>
      ${" "}The first rule that matches decides; calls that match none are allowed. <code>@destructive</code>: tools that overwrite or remove. <code>@outsiders</code>: mail that leaves the company.</p>`;
}

/** How people take part: approve calls, play the colleagues, begin paused. */
export function AttendanceFields({ value, set, policy }) {
  const approves = value.policy.length > 0;
  return html`<fieldset class="attendance"><legend>While it runs</legend>
    <label><input type="checkbox" checked=${value.paused} onChange=${(event) => set({ ...value, paused: event.currentTarget.checked })} /> begin paused</label>
    <label><input type="checkbox" checked=${approves}
      onChange=${(event) => set({ ...value, policy: event.currentTarget.checked ? policy : [] })} /> I approve risky calls</label>
    <label><input type="checkbox" checked=${value.patience !== null}
      onChange=${(event) => set({ ...value, patience: event.currentTarget.checked ? 120 : null })} /> I answer for the colleagues</label>
    ${value.patience !== null && html`<${NumberField} label="The script answers after" note="seconds" value=${value.patience} placeholder="120"
      set=${(patience) => set({ ...value, patience: patience ?? 120 })} />`}
    ${approves && html`<${Policy} rules=${value.policy} set=${(rules) => set({ ...value, policy: rules })} />`}</fieldset>`;
}
