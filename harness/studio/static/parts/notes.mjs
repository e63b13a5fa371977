// Placeholders: while something loads, when it failed, when there is nothing.
import { html } from "./html.mjs";

export function Loading({ what = "Loading" }) { return html`<p class="quiet pad" role="status">${what} …</p>`; }

export function Failed({ error }) { return html`<p class="warning pad" role="alert">${error}</p>`; }

export function Empty({ children }) { return html`<p class="quiet pad">${children}</p>`; }
