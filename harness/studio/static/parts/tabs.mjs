// Tabs with arrow-key navigation, following the ARIA practices.
import { html, useLayoutEffect, useRef } from "./html.mjs";

/** `tabs` are `{ id, title, mark }`; `panel` is the id of the element that they control. */
export function Tabs({ tabs, current, choose, label, panel, marked = "changed" }) {
  const box = useRef(null);
  useLayoutEffect(() => { // if there is no room for all of them
    const chosen = box.current.querySelector("[aria-selected=true]"), { offsetLeft, clientWidth } = box.current;
    const from = chosen.offsetLeft - offsetLeft, to = from + chosen.offsetWidth;
    if (from < box.current.scrollLeft) box.current.scrollLeft = from;
    else if (to > box.current.scrollLeft + clientWidth) box.current.scrollLeft = to - clientWidth;
  }, [current]);
  const move = (event) => {
    const by = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const at = tabs.findIndex((tab) => tab.id === current);
    const next = tabs[(at + by + tabs.length) % tabs.length];
    choose(next.id);
    box.current.querySelector(`[data-tab="${next.id}"]`)?.focus();
  };
  return html`<div class="tabs" role="tablist" aria-label=${label} ref=${box} onKeyDown=${move}>
    ${tabs.map((tab) => html`<button role="tab" data-tab=${tab.id} class=${tab.kind ?? ""} aria-selected=${tab.id === current}
      aria-controls=${panel} tabindex=${tab.id === current ? 0 : -1} onClick=${() => choose(tab.id)}>
      ${tab.title}${tab.mark ? html`<span class="mark">${tab.mark}<span class="hidden"> ${marked}</span></span>` : ""}</button>`)}
  </div>`;
}
