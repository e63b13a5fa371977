// The rows of the table of episodes: their columns, sorting and filtering, and their mean.
import { plain } from "./words.mjs";

const texts = new Intl.Collator("en", { numeric: true });

/** A column: `of` returns its sort value, null if there is none; `down` if the first click sorts descending.
 * `unit` marks columns that are filtered by bounds. */
export const COLUMNS = [
  { id: "day", title: "Day", of: (row) => row.name, text: true },
  { id: "agent", title: "Agent", of: (row) => row.worker, text: true },
  { id: "complete", title: "Complete", of: (row) => (row.tasks ? row.complete / row.tasks : null), down: true },
  { id: "score", title: "Score", of: (row) => row.score, down: true, unit: "", step: 0.05 },
  { id: "guided", title: "Guided", of: (row) => Number(row.guided), down: true },
  { id: "forked", title: "Forked", of: (row) => Number(row.forked), down: true },
  { id: "ending", title: "Ending", of: (row) => row.ending, text: true },
  { id: "steps", title: "Steps", of: (row) => row.steps, down: true, unit: "", step: 1 },
  { id: "tokens", title: "Tokens", of: (row) => row.tokens, down: true, unit: "", step: 1000 },
  { id: "cost", title: "Cost", of: (row) => row.cost_usd, down: true, unit: "$", step: 0.01 },
  { id: "time", title: "Wall time", of: (row) => row.seconds, down: true, unit: "s", step: 1 },
  { id: "run", title: "Run", of: (row) => row.path, text: true },
];
export const BOUNDED = COLUMNS.filter((column) => column.unit !== undefined);

const WITH = { only: (holds) => holds, without: (holds) => !holds };
const COMPLETE = {
  all: (row) => row.success,
  some: (row) => !row.success && row.complete > 0,
  none: (row) => row.complete === 0,
};
const CHOSEN = {
  run: (row, wanted) => row.path === wanted,
  agent: (row, wanted) => row.agent === wanted,
  family: (row, wanted) => row.families.includes(wanted),
  ending: (row, wanted) => row.ending === wanted,
  complete: (row, wanted) => COMPLETE[wanted](row),
  guided: (row, wanted) => WITH[wanted](row.guided),
  forked: (row, wanted) => WITH[wanted](row.forked),
};
const KNOWN = { complete: COMPLETE, guided: WITH, forked: WITH };

/** The episodes in the studio's answer, each with its values for sorting and filtering. */
export function readRows({ fields, rows }) {
  return rows.map((values) => {
    const row = Object.fromEntries(fields.map((name, at) => [name, values[at]]));
    row.name = row.day ? `${row.scenario} · ${row.day}` : row.scenario;
    row.worker = row.attempt > 1 ? `${row.agent}, attempt ${row.attempt}` : row.agent;
    row.ending = row.ended || row.state;
    return row;
  });
}

/** The view in an address; values that no filter knows are left out. */
export function readView(query) {
  const view = {};
  for (const name of Object.keys(CHOSEN)) {
    const wanted = query[name] ?? "";
    view[name] = !KNOWN[name] || Object.hasOwn(KNOWN[name], wanted) ? wanted : "";
  }
  for (const { id } of BOUNDED) view[id] = joinBounds(...bounds(query[id] ?? ""));
  const sort = query.sort ?? "";
  view.sort = COLUMNS.some((column) => column.id === sortedBy(sort)) ? sort : "";
  return view;
}

/** The column of "-score". */
function sortedBy(sort) { return sort.replace(/^-/, ""); }

const NUMBER = /^-?(\d+(\.\d+)?|\.\d+)(e[+-]?\d+)?$/i; // the format of number fields

/** "0.5" and "" from "0.5.."; a bound that is not a number counts as missing. */
export function bounds(range) {
  const [least = "", most = ""] = range.split("..");
  return [least, most].map((bound) => (NUMBER.test(bound.trim()) && Number.isFinite(Number(bound)) ? bound.trim() : ""));
}

export function joinBounds(least, most) { return least || most ? `${least}..${most}` : ""; }

/** Whether `view` filters anything. */
export function isFiltered(view) { return Object.entries(view).some(([name, value]) => name !== "sort" && value); }

/** The sort after a click on the head of `column`: its default direction first, then the reverse. */
export function turned(sort, column) {
  const [first, other] = column.down ? [`-${column.id}`, column.id] : [column.id, `-${column.id}`];
  return sort === first ? other : first;
}

/** "ascending" or "descending" if `sort` is by this column, else "none". */
export function direction(sort, column) {
  if (sort === column.id) return "ascending";
  return sort === `-${column.id}` ? "descending" : "none";
}

/** `rows` in the order of `sort`; equal rows keep their order, and rows without a value come last in both directions. */
export function sorted(rows, sort) {
  const column = COLUMNS.find(({ id }) => id === sortedBy(sort));
  if (!column) return rows;
  const sign = sort.startsWith("-") ? -1 : 1, keys = new Map(rows.map((row) => [row, column.of(row)]));
  const rank = column.text ? ranks(keys.values()) : null;
  const value = (row) => (rank ? rank.get(keys.get(row)) : keys.get(row));
  const placed = rows.map((row) => ({ row, key: value(row) }));
  placed.sort((a, b) => {
    if (a.key === null || b.key === null) return Number(a.key === null) - Number(b.key === null);
    return sign * (a.key - b.key);
  });
  return placed.map(({ row }) => row);
}

/** The rank of each text: there are few different texts, and comparing them is slow. */
function ranks(values) {
  return new Map([...new Set(values)].sort(texts.compare).map((text, place) => [text, place]));
}

/** The `rows` that match all filters of `view`; a missing value matches no bounds. */
export function filtered(rows, view) {
  const holding = Object.keys(CHOSEN).filter((name) => view[name]).map((name) => (row) => CHOSEN[name](row, view[name]));
  for (const column of BOUNDED.filter(({ id }) => view[id])) {
    const [least, most] = bounds(view[column.id]);
    holding.push((row) => {
      const value = column.of(row);
      return value !== null && (!least || value >= Number(least)) && (!most || value <= Number(most));
    });
  }
  return holding.length ? rows.filter((row) => holding.every((holds) => holds(row))) : rows;
}

function mean(values) { return values.length ? values.reduce((sum, value) => sum + value, 0) / values.length : null; }

/** The mean over the finished `rows` that an agent worked alone on a whole day, and the rows that it leaves out. */
export function meanOf(rows) {
  const over = rows.filter((row) => row.broken_as_0 !== null);
  const own = over.filter((row) => !row.guided && !row.forked), whole = own.filter((row) => !row.broken);
  const marked = (guided, forked) => over.filter((row) => row.guided === guided && row.forked === forked).length;
  return {
    complete: whole.filter((row) => row.success).length, whole: whole.length,
    score: mean(own.map((row) => row.score).filter((score) => score !== null)),
    withBroken: mean(own.map((row) => row.broken_as_0)),
    counted: own.length, agents: new Set(own.map((row) => row.agent)).size, runs: new Set(own.map((row) => row.path)).size,
    broken: own.length - whole.length,
    leftOut: [[marked(true, false), "guided"], [marked(false, true), "forked"], [marked(true, true), "guided and forked"],
      [rows.length - over.length, "not over"]].filter(([number]) => number > 0),
  };
}

/** The different values of `pick` in `rows`, in order. */
export function different(rows, pick) { return [...new Set(rows.map(pick))].filter(Boolean).sort(texts.compare); }

/** "12.3 s", "4 min 05 s", "1 h 02 min" of seconds. */
export function duration(seconds) {
  if (seconds === null) return "–";
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds), two = (number) => String(number).padStart(2, "0");
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${two(whole % 60)} s`;
  return `${Math.floor(whole / 3600)} h ${two(Math.floor(whole % 3600 / 60))} min`;
}

/** "$0.0021", "$1.20". */
export function money(cost) { return cost === null ? "–" : `$${cost.toFixed(cost && cost < 0.1 ? 4 : 2)}`; }

export function whole(number) { return number === null ? "–" : number.toLocaleString("en"); }

export function saidEnding(row) { return row.taken && row.state === "running" ? "a person is working it" : plain(row.ending); }
