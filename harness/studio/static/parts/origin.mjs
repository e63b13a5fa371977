// The button that goes back to what changed an item. Where there is no past, there is no button.
import { html } from "./html.mjs";

export function OriginButton({ origin, part = "", words = "What changed this" }) {
  if (!origin) return null;
  return html`<button class="origin" onClick=${() => origin(part)}>${words}</button>`;
}
