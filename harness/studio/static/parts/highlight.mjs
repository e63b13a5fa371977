// Highlights the words of a search in the page's panes. The browser paints the highlights over the text, so
// the code that draws the panes need not know about them.
import { useEffect } from "./html.mjs";

const NAME = "found";
const MOST = 2000;

/** The ranges of `words` (in lower case) in the text of `root`. */
function rangesIn(root, words) {
  const found = [], texts = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = texts.nextNode(); node && found.length < MOST; node = texts.nextNode()) {
    const text = node.data.toLowerCase();
    if (text.length !== node.data.length) continue; // if lower case changes the length, positions would shift
    for (const word of words) {
      for (let at = text.indexOf(word); at >= 0 && found.length < MOST; at = text.indexOf(word, at + word.length)) {
        const range = new Range();
        range.setStart(node, at);
        range.setEnd(node, at + word.length);
        found.push(range);
      }
    }
  }
  return found;
}

/** Scroll a pane to its first range, unless one is in sight. */
function bringInSight(pane, ranges) {
  const own = ranges.filter((range) => pane.contains(range.startContainer)), box = pane.getBoundingClientRect();
  const tops = own.map((range) => range.getBoundingClientRect().top);
  if (tops.length && !tops.some((top) => top >= box.top && top < box.bottom - 12)) pane.scrollTop += tops[0] - box.top - box.height / 3;
}

/** Keep the words of `search` highlighted in the element of `box` as it is redrawn. After a jump to a new
 * `step`, the call pane scrolls to the first of them. `there` says whether anything is drawn yet. */
export function useHighlight(box, search, step, there) {
  useEffect(() => {
    if (!window.CSS?.highlights || !box.current) return undefined;
    const words = search.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) { CSS.highlights.delete(NAME); return undefined; }
    let frame = 0, shown = false;
    const mark = () => {
      const ranges = rangesIn(box.current, words), pane = box.current.querySelector(".call-pane .scroll");
      CSS.highlights.set(NAME, new Highlight(...ranges));
      if (pane && !shown && pane.dataset.step === String(step)) { bringInSight(pane, ranges); shown = true; }
    };
    const soon = () => { cancelAnimationFrame(frame); frame = requestAnimationFrame(mark); };
    const watch = new MutationObserver(soon);
    watch.observe(box.current, { childList: true, subtree: true, characterData: true });
    soon();
    return () => { watch.disconnect(); cancelAnimationFrame(frame); CSS.highlights.delete(NAME); };
  }, [search, step, there]);
}
