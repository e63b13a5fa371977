// The sheets at a seat: cells that were read, cells still to be written, one write for all of them.
import { html } from "../parts/html.mjs";
import { Sheets } from "../apps/sheets.mjs";
import { count } from "../parts/words.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold, ReadAt } from "./calls.mjs";
import { cellAt, sheetsView, writeOf } from "./known_sheets.mjs";

function Side({ seat }) {
  return html`<div class="acts">
    <${CallForm} seat=${seat} tool="sheets_read" id="open a table" show=${["path"]} labels=${{ path: "Open a table" }} words="Read" side
      done=${() => seat.open("sheets", seat.calls.value.at(-1).arguments.path)} />
    <${Fold} title="New table"><${CallForm} seat=${seat} tool="sheets_create" show=${["path"]} start=${{ path: "workspace:/table.xlsx" }} words="Make"
      done=${() => seat.open("sheets", seat.calls.value.at(-1).data.path)} /><//>
    <${Fold} title="Calculate"><${CallForm} seat=${seat} tool="sheets_calculate" show=${["expression"]} words="Calculate" /><//>
    <${AsOf} seat=${seat} app="sheets" /></div>`;
}

function Chosen({ seat, book, path }) {
  const sheet = book?.sheet ?? "", named = sheet ? { path, sheet } : { path };
  return html`<div class="acts below"><div class="row">
      <${CallButton} seat=${seat} tool="sheets_read" given=${book?.rest ? { ...named, range: book.rest } : named} words=${book?.rest ? `Read ${book.rest}` : book ? "Read again" : "Read"} main=${!book || Boolean(book.rest)} />
      <${CallButton} seat=${seat} tool="sheets_read" given=${{ ...named, formulas: true }} words="Show formulas" />
      <${CallButton} seat=${seat} tool="sheets_list" given=${{ path }} words="List sheets" /><${ReadAt} seat=${seat} time=${book?.read} /></div>
    <${Fold} title="Query"><${CallForm} seat=${seat} tool="sheets_query" id=${`query ${path}`} fixed=${named} show=${["where", "columns", "group_by", "aggregates", "sort_by", "limit"]} words="Query" /><//>
    <${Fold} title="Fill down, append, sheets">
      <${CallForm} seat=${seat} tool="sheets_fill" id=${`fill ${path}`} fixed=${named} show=${["source", "last_row"]} words="Fill down" />
      <${CallForm} seat=${seat} tool="sheets_append" id=${`append ${path}`} fixed=${named} show=${["rows"]} words="Append rows" />
      <${CallForm} seat=${seat} tool="sheets_change" id=${`change ${path}`} fixed=${{ path }} show=${["action", "sheet", "new_name"]} words="Change sheets" /><//></div>`;
}

export function SeatSheets({ seat, ...shared }) {
  const path = shared.item, place = seat.windows.value[path] ?? {}, folded = seat.known.value.sheets;
  const first = sheetsView(folded, path, place, {}).book, key = `${path} ${first?.sheet ?? ""}`, pending = seat.pending.value[key] ?? {};
  const view = sheetsView(folded, path, place, pending), cells = Object.keys(pending).length;
  const keep = (next) => { seat.pending.value = { ...seat.pending.value, [key]: next }; };
  const page = { sheet: first?.sheet ?? "", top: place.top ?? 1, turn: (sheet, top) => { seat.windows.value = { ...seat.windows.value, [path]: { sheet, top } }; } };
  const edit = view.book && {
    pending,
    set: (cell, text) => keep({ ...pending, [cell]: text }),
    paste: (cell, text) => keep({ ...pending, ...pasted(cell, text) }),
    bar: html`<div class="row pending-bar" role="group" aria-label="Pending cells"><span class="quiet small">${cells ? `${count(cells, "cell")} not written yet` : "Type into a cell. Nothing is written until you press Write."}</span>
      ${cells > 0 && html`<${CallButton} seat=${seat} tool="sheets_write" given=${{ path, sheet: view.book.sheet, ...writeOf(pending) }} words=${`Write ${count(cells, "cell")}`} main done=${() => keep({})} />
        <button onClick=${() => keep({})}>Discard</button>`}</div>`,
  };
  const known = folded.books.some((book) => book.path === path);
  const actions = {
    side: html`<${Side} seat=${seat} />`, edit,
    main: html`${known && html`<${Chosen} key=${path} seat=${seat} book=${view.book} path=${path} />`}<${EveryTool} seat=${seat} app="sheets" />`,
    empty: known ? html`<p class="pad"><b class="path">${path}</b> has not been read yet.</p>` : null,
  };
  return html`<${Sheets} view=${view} actions=${actions} ...${shared} page=${page} />`;
}

/** The cells for a pasted block, from `cell` on. */
function pasted(cell, text) {
  const corner = cellAt(cell), found = {};
  text.replace(/\r?\n$/, "").split(/\r?\n/).forEach((line, r) => line.split("\t").forEach((value, c) => { found[`${letters(corner.column + c)}${corner.row + r}`] = value; }));
  return found;
}

function letters(number) { return number > 26 ? letters(Math.floor((number - 1) / 26)) + letters(((number - 1) % 26) + 1) : String.fromCharCode(64 + number); }
