// The own offices that this studio has open; most studios have none.
import { ask, post } from "./api.mjs";
import { html, signal, useState } from "./html.mjs";
import { go } from "./route.mjs";

/** Null until they are known. */
export const offices = signal(null);

export async function loadOffices() {
  try { offices.value = (await ask("/api/offices")).offices; } catch { offices.value = []; }
}

/** A button that opens a world of an office as an episode. `world` says which, as the studio wants it. */
export function OpenWorld({ office, world, words, about }) {
  const [busy, setBusy] = useState(false), [error, setError] = useState("");
  const open = async () => {
    setBusy(true); setError("");
    try { go("episode", (await post(`/api/offices/${office}/worlds`, world)).episode); return; } catch (failed) { setError(failed.message); }
    setBusy(false);
  };
  return html`<button onClick=${open} disabled=${busy} aria-label=${about ? `${words}: ${about}` : undefined}>${busy ? "Working the day …" : words}</button>
    ${error && html`<p class="warning small" role="alert">${error}</p>`}`;
}
