// Where the page is: #/episode/0-3?step=57&app=mail. Every place has an address of its own.
import { signal } from "./html.mjs";

/** The episode that was opened last, and its step. */
export const visited = { episode: "", step: "" };
export const route = signal(read());

let known = location.hash, pending = 0; // the address that was read or written last

addEventListener("hashchange", () => {
  clearTimeout(pending); // what was to be noted was the place before
  known = location.hash;
  route.value = read();
});

function read() {
  const [path, query = ""] = location.hash.replace(/^#\/?/, "").split("?");
  const [page, id = ""] = path.split("/");
  const place = { page: page || "runs", id, query: Object.fromEntries(new URLSearchParams(query)) };
  if (page === "episode") visit(id, place.query.step ?? "");
  return place;
}

function visit(episode, step) { visited.episode = episode; visited.step = step; }

/** A query string of the given values, without empty ones. */
export function query(values) {
  const given = Object.entries(values).filter(([, value]) => value !== "" && value != null);
  return given.length ? `?${new URLSearchParams(given)}` : "";
}

/** The address of a page; empty values are left out. */
export function address(page, id = "", values = {}) { return `#/${page}${id === "" ? "" : `/${id}`}${query(values)}`; }

/** Go to a page, as a link does. */
export function go(page, id, values) { location.hash = address(page, id, values); }

/** Note in the address where on its page somebody is, without a new entry in the history. Browsers
 * slow down pages that do so often, so it waits for a pause. If somebody follows a link meanwhile, nothing is noted:
 * the address changes before the page is told. */
export function note(page, id, values) {
  if (page === "episode") visit(id, values.step);
  clearTimeout(pending);
  pending = setTimeout(() => {
    const here = route.peek();
    if (location.hash !== known || here.page !== page || here.id !== String(id)) return;
    history.replaceState(null, "", address(page, id, values));
    known = location.hash;
  }, 150);
}
