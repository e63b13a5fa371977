// A long list of rows of equal height; only the visible rows are drawn.
import { html, useLayoutEffect, useRef, useState } from "./html.mjs";

const SPARE = 8;
let usualRoom = 600; // the height of the last list; the next one is usually as high

/** The scroll position at which a list of `count` rows, with `room` visible pixels from `top` on, shows row `current`. */
function topFor(current, count, height, top, room) {
  if (current < 0) return top;
  const from = current * height, to = from + height, margin = Math.min(3 * height, room / 3);
  const wanted = from - margin < top ? from - margin : Math.max(top, to + margin - room);
  return Math.max(0, Math.min(wanted, count * height - room));
}

/** The visible rows among `count` rows of `height` pixels: from `first` up to, but excluding, `last`. */
function windowOf(count, height, top, room) {
  return [Math.max(0, Math.floor(top / height) - SPARE), Math.min(count, Math.ceil((top + room) / height) + SPARE)];
}

/** The visible height of the scrolling element `box` in pixels, kept up to date. */
function useRoom(box) {
  const [room, setRoom] = useState(usualRoom);
  useLayoutEffect(() => {
    const watch = new ResizeObserver(() => {
      usualRoom = box.current?.clientHeight || usualRoom;
      setRoom(usualRoom);
    });
    watch.observe(box.current);
    return () => watch.disconnect();
  }, []);
  return room;
}

/** The visible rows of an element that the caller draws, such as a table. `scroll` is for its onScroll. */
export function useWindow(count, height) {
  const box = useRef(null), room = useRoom(box), [top, setTop] = useState(0);
  const [first, last] = windowOf(count, height, Math.min(top, Math.max(0, count * height - room)), room);
  return { box, first, last, scroll: (event) => setTop(event.currentTarget.scrollTop) };
}

/** `count` rows of `height` pixels; `row(n)` draws one. `current` is kept in sight. `attributes` are for the
 * scrolling element. */
export function Rows({ count, height, row, current = -1, attributes = {} }) {
  const box = useRef(null), room = useRoom(box);
  const [top, setTop] = useState(() => topFor(current, count, height, 0, room));
  useLayoutEffect(() => { // from known values, since reading the layout would compute it once more
    const wanted = topFor(current, count, height, top, room);
    if (current < 0 || (wanted === top && !top)) return;
    box.current.scrollTop = wanted;
    setTop(wanted);
  }, [current, count, room]);
  const [first, last] = windowOf(count, height, top, room);
  const drawn = [];
  for (let n = first; n < last; n++) drawn.push(row(n));
  return html`<div class="rows" ref=${box} onScroll=${(e) => setTop(e.currentTarget.scrollTop)} ...${attributes}>
    <div class="rows-all" role="presentation"
      style=${{ height: `${count * height}px`, paddingTop: `${first * height}px` }}>${drawn}</div>
  </div>`;
}
