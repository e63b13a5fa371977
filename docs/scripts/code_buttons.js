// The theme puts the copy button of each block of code into a <nav> without a name. Landmarks need different
// names, so each is numbered as it appears.
let blocks = 0;
const nameBlocks = () => {
  for (const nav of document.querySelectorAll("nav.md-code__nav:not([aria-label])")) nav.setAttribute("aria-label", `Code ${++blocks}`);
};
new MutationObserver(nameBlocks).observe(document.documentElement, { childList: true, subtree: true });
nameBlocks();
