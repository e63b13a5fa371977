// The frame of every page, in the studio and in an exported day: the navigation bar.
import { html } from "./html.mjs";

/** `places` are pairs of an address and a name; `current` is the name of the current place. */
export function Frame({ places, current, page, children }) {
  return html`
    <a class="skip" href="#main"
      onClick=${(event) => { event.preventDefault(); document.getElementById("main").focus(); }}>To the content</a>
    <header class="bar">
      <span class="brand">Trainee-Bench <b>Studio</b></span>
      ${places.length > 0 && html`<nav aria-label="Places">${places.map(([to, name]) => html`
        <a href=${to} aria-current=${name === current ? "page" : undefined}>${name}</a>`)}</nav>`}
    </header>
    <main id="main" tabindex="-1" class=${`page-${page}`}>${children}</main>`;
}
