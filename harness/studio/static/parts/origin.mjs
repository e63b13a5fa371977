// The button that goes back to the step that changed an item. Without a past there is no button.
import { html } from "./html.mjs";

export function OriginButton({ origin, part = "", words = "What changed this" }) {
  if (!origin) return null;
  return html`<button class="origin" onClick=${() => origin(part)}>${words}</button>`;
}
