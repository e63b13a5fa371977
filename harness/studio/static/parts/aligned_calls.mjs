// The aligned calls of two episodes: a line for each pair, and how its calls differ.
import { html } from "./html.mjs";
import { Rows } from "./rows.mjs";
import { clock, hue } from "./words.mjs";

const HEIGHT = 30;
export const KINDS = {
  same: "the same call", other_arguments: "different arguments", other_result: "a different answer",
  only_a: "left only", only_b: "right only",
};

function Half({ call }) {
  if (!call) return html`<span class="half gap"></span>`;
  return html`<span class="half ${hue(call.app)} ${call.ok ? "" : "failed"}"><span class="number">${call.step}</span><span
    class="time">${clock(call.at)}</span><i class="dot"></i><span class="tool">${call.tool}</span><span
    class="brief">${call.brief}</span></span>`;
}

/** `lines` in the studio's alignment, with the calls `a` and `b`; `choose(place)` goes to a line. */
export function AlignedCalls({ lines, at, a, b, choose }) {
  const move = (event) => {
    const by = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 }[event.key];
    if (by === undefined) return;
    event.preventDefault();
    choose(Math.max(0, Math.min(lines.length - 1, at + by)));
  };
  return html`<div class="aligned"><${Rows} count=${lines.length} height=${HEIGHT} current=${at}
    attributes=${{ role: "listbox", tabIndex: 0, "aria-label": "Aligned calls", onKeyDown: move, "aria-activedescendant": `line-${at}` }}
    row=${(n) => html`<div class="line ${lines[n].kind} ${n === at ? "current" : ""}" key=${n} id=${`line-${n}`} role="option"
      aria-selected=${n === at}
      aria-setsize=${lines.length} aria-posinset=${n + 1} onClick=${() => choose(n)}>
      <${Half} call=${lines[n].a && a[lines[n].a - 1]} /><span class="sign" title=${KINDS[lines[n].kind]}><span
        class="hidden">${KINDS[lines[n].kind]}</span></span><${Half} call=${lines[n].b && b[lines[n].b - 1]} /></div>`} /></div>`;
}
