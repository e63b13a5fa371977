// Where the page is: #/episode/0-3?step=57&app=mail. Every place has an address of its own.
import { signal } from "./html.mjs";

let known = ""; // the address that was read or written last

export const route = signal(read());

addEventListener("hashchange", () => { route.value = read(); });

function read() {
  known = location.hash;
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, id = ""] = path.split("/");
  return { page: page || "runs", id, query: Object.fromEntries(new URLSearchParams(query)) };
}

/** The address of a page; empty values are left out. */
export function address(page, id = "", values = {}) {
  const given = Object.entries(values).filter(([, value]) => value !== "" && value != null);
  const query = given.length ? `?${new URLSearchParams(given)}` : "";
  return `#/${page}${id === "" ? "" : `/${id}`}${query}`;
}

/** Go to a page, as a link does. */
export function go(page, id, values) { location.hash = address(page, id, values); }

let pending = 0;

/** Note in the address where on its page somebody is, without a new entry in the history. Browsers
 * slow pages down that do so often, so it waits for a pause. Whoever follows a link meanwhile gets there:
 * the address is another one before anybody is told. */
export function note(page, id, values) {
  clearTimeout(pending);
  pending = setTimeout(() => {
    const here = route.peek();
    if (location.hash !== known || here.page !== page || here.id !== String(id)) return;
    history.replaceState(null, "", address(page, id, values));
    known = location.hash;
  }, 150);
}
