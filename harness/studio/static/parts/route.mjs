// The current place: #/episode/0-3?step=57&app=mail. Every place has its own address.
import { signal } from "./html.mjs";

/** The episode that was opened last, and its step. */
export const visited = { episode: "", step: "" };
export const route = signal(read());

let known = location.hash, pending = 0; // the last address that was read or written

addEventListener("hashchange", () => {
  clearTimeout(pending); // a pending note belongs to the previous place
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

/** Go to a page, like a link. */
export function go(page, id, values) { location.hash = address(page, id, values); }

/** Record the user's position on a page in the address, without a new history entry. Browsers slow down
 * pages that do so often, so it waits for a pause. If the user follows a link meanwhile, nothing is recorded:
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
