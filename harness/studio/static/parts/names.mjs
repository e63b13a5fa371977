// Names of people among other words. A name in Arabic or Hebrew runs from right to left; without bounds it would
// turn round the times and brackets beside it.
import { html } from "./html.mjs";

export function Name({ name }) { return html`<bdi>${name}</bdi>`; }

/** "A, B, C". */
export function Names({ names }) {
  return names.map((name, at) => html`${at ? ", " : ""}<${Name} name=${name} />`);
}

/** "Name <address>", or an address alone. */
export function Addressee({ written }) {
  const at = written.lastIndexOf(" <");
  return at < 0 ? html`<${Name} name=${written} />` : html`<${Name} name=${written.slice(0, at)} />${written.slice(at)}`;
}

/** Several addresses with commas between them. */
export function Addressees({ written }) {
  return written.map((each, at) => html`${at ? ", " : ""}<${Addressee} written=${each} />`);
}
