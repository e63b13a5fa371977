// Where the page is: #/episode/0-3?step=57&app=mail. Every place has an address of its own.
import { signal } from "./html.mjs";

/** The episode that was opened last, and its step. */
export const visited = { episode: "", step: "" };
export const route = signal(read());

// Not `location`: a note of the place before may have been written there in between.
addEventListener("hashchange", (event) => { route.value = read(new URL(event.newURL).hash); });

function read(hash = location.hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?");
  const [page, id = ""] = path.split("/");
  const place = { page: page || "runs", id, query: Object.fromEntries(new URLSearchParams(query)) };
  if (page === "episode") visit(id, place.query.step ?? "");
  return place;
}

function visit(episode, step) { visited.episode = episode; visited.step = step; }

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
 * slow pages down that do so often, so it waits for a pause. */
export function note(page, id, values) {
  if (page === "episode") visit(id, values.step);
  clearTimeout(pending);
  pending = setTimeout(() => {
    const here = route.peek();
    if (here.page === page && here.id === String(id)) history.replaceState(null, "", address(page, id, values));
  }, 150);
}
