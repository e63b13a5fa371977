// Input fields and selection lists, each below its label.
import { html } from "./html.mjs";

export function Field({ label, note, children }) {
  return html`<label class="choice"><span>${label}${note ? html` <i class="quiet">${note}</i>` : ""}</span>${children}</label>`;
}

/** A list of options; `set` gets the value of the chosen one. */
export function Choice({ label, value, set, children }) {
  return html`<${Field} label=${label}><select value=${value} onChange=${(event) => set(event.currentTarget.value)}>${children}</select><//>`;
}
