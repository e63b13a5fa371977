// A long list of equally high rows of which only those in sight are drawn.
import { html, useLayoutEffect, useRef, useState } from "./html.mjs";

const SPARE = 8;

/** `count` rows of `height` pixels; `row(n)` draws one. `current` is kept in sight. `attributes` go
 * to the scrolling element. */
export function Rows({ count, height, row, current = -1, attributes = {} }) {
  const box = useRef(null);
  const [top, setTop] = useState(0);
  const [room, setRoom] = useState(600);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => setRoom(box.current?.clientHeight || 600));
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  useLayoutEffect(() => {
    const element = box.current;
    if (current < 0) return;
    const from = current * height, to = from + height, margin = Math.min(3 * height, room / 3);
    if (from - margin < element.scrollTop) element.scrollTop = from - margin;
    else if (to + margin > element.scrollTop + element.clientHeight) {
      element.scrollTop = to + margin - element.clientHeight;
    }
  }, [current, count, room]);
  const first = Math.max(0, Math.floor(top / height) - SPARE);
  const last = Math.min(count, Math.ceil((top + room) / height) + SPARE);
  const drawn = [];
  for (let n = first; n < last; n++) drawn.push(row(n));
  return html`<div class="rows" ref=${box} onScroll=${(e) => setTop(e.currentTarget.scrollTop)} ...${attributes}>
    <div class="rows-all" role="presentation"
      style=${{ height: `${count * height}px`, paddingTop: `${first * height}px` }}>${drawn}</div>
  </div>`;
}
