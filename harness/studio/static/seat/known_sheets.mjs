// The person's knowledge of tables: the cells that were read or written, by file and sheet.

const SHOWN_ROWS = 120, LEAST_ROWS = 14, LEAST_COLUMNS = 7;
const ADDRESS = /^\$?([A-Z]{1,3})\$?(\d+)$/;

export function columnNumber(name) { return [...name].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0); }

/** `{ row, column }` of "B7"; null if the text is not a cell. */
export function cellAt(text) {
  const found = ADDRESS.exec(text.trim().toUpperCase());
  return found ? { row: Number(found[2]), column: columnNumber(found[1]) } : null;
}

export function foldSheets(calls, files) {
  const books = new Map();
  const book = (path) => { if (!books.has(path)) books.set(path, { sheets: [], cells: new Map(), first: "" }); return books.get(path); };
  const put = (path, sheet, range, rows, typed) => {
    const known = book(path), corner = cellAt(range.split(":")[0]);
    known.first ||= sheet;
    if (!corner) return;
    if (!known.cells.has(sheet)) known.cells.set(sheet, { values: new Map(), typed: new Map(), rest: null });
    const { values, typed: formulas } = known.cells.get(sheet);
    rows.forEach((row, r) => row.forEach((value, c) => {
      if (value === null && typed) return;
      const key = `${corner.row + r} ${corner.column + c}`;
      if (typeof value === "string" && value.startsWith("=")) formulas.set(key, value); else if (typed) formulas.delete(key);
      values.set(key, value === "" && typed ? null : value);
    }));
  };
  for (const { tool, arguments: given, data, until } of calls) {
    if (tool === "sheets_list") { const known = book(data.path); known.sheets = data.sheets; known.first ||= data.sheets[0]?.name ?? ""; }
    else if (tool === "sheets_read") {
      put(given.path, data.sheet, data.range || "A1", data.rows, false);
      const cells = book(given.path).cells.get(data.sheet);
      if (cells) { cells.rest = data.next_range ?? data.right_range; cells.read = until; }
    } else if (tool === "sheets_write" || tool === "sheets_create" || tool === "sheets_append") put(data.path, data.sheet, data.range || "A1", given.rows ?? [], true);
    else if (tool === "sheets_change" && given.action === "delete") book(data.path).cells.delete(given.sheet);
  }
  const listed = files.files.filter((file) => /\.(xlsx|csv)$/.test(file.path));
  return { books: listed, known: books };
}

/** The view of the tables with `path` opened at a sheet, as the component draws it. */
export function sheetsView(folded, path, place, pending) {
  const known = folded.known.get(path);
  if (!known) return { books: folded.books, book: null };
  const names = [...new Set([...known.sheets.map((sheet) => sheet.name), ...known.cells.keys()])];
  const sheet = names.includes(place.sheet) ? place.sheet : known.first || names[0] || "";
  const cells = known.cells.get(sheet) ?? { values: new Map(), typed: new Map(), rest: null };
  let rows_used = 0, columns_used = 0;
  for (const key of [...cells.values.keys(), ...Object.keys(pending).map((cell) => { const at = cellAt(cell); return `${at.row} ${at.column}`; })]) {
    const [row, column] = key.split(" ").map(Number);
    rows_used = Math.max(rows_used, row); columns_used = Math.max(columns_used, column);
  }
  const top = Math.min(Math.max(1, place.top ?? 1), Math.max(1, rows_used));
  const height = Math.max(LEAST_ROWS, Math.min(SHOWN_ROWS, rows_used - top + 2)), width = Math.max(LEAST_COLUMNS, columns_used + 1);
  const rows = Array.from({ length: height }, (_, r) => Array.from({ length: width }, (__, c) => cells.values.get(`${top + r} ${c + 1}`) ?? null));
  const typed = {};
  for (const [key, text] of cells.typed) { const [row, column] = key.split(" ").map(Number); typed[`${nameOf(column)}${row}`] = text; }
  return {
    books: folded.books,
    book: { path, sheet, sheets: names.map((name) => ({ name })), top, rows, typed, rows_used: Math.max(rows_used, height), columns_used: width, at_once: SHOWN_ROWS, flaw: "", rest: cells.rest, read: cells.read },
  };
}

function nameOf(number) {
  let name = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

/** The single write for all pending cells: `{ start, rows }`; cells between them are kept. */
export function writeOf(pending) {
  const places = Object.keys(pending).map((cell) => ({ ...cellAt(cell), text: pending[cell] }));
  const top = Math.min(...places.map((place) => place.row)), left = Math.min(...places.map((place) => place.column));
  const height = Math.max(...places.map((place) => place.row)) - top + 1, width = Math.max(...places.map((place) => place.column)) - left + 1;
  const rows = Array.from({ length: height }, () => Array(width).fill(null));
  for (const { row, column, text } of places) rows[row - top][column - left] = text;
  return { start: `${nameOf(left)}${top}`, rows };
}
