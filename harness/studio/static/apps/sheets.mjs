// The sheets: all tables, and a grid that shows a window of rows of one table; buttons move the window.
import { html, useState } from "../parts/html.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";

export function columnName(number) {
  let name = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

function shown(value) { return value === null ? "" : typeof value === "boolean" ? String(value).toUpperCase() : String(value); }

function Grid({ book, within, chosen, choose, edit }) {
  const marked = new Set(within);
  const width = Math.max(book.columns_used, 1, ...book.rows.map((row) => row.length));
  const columns = Array.from({ length: Math.min(width, 60) }, (_, n) => columnName(n + 1));
  const move = (event) => {
    if (edit && typed(event, edit, columnName(chosen.column) + chosen.row)) return;
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const [row, column] = [chosen.row + by[0], chosen.column + by[1]];
    if (row < book.top || row >= book.top + book.rows.length || column < 1 || column > columns.length) return;
    choose({ row, column });
    const cell = event.currentTarget.querySelector(`[data-cell="${columnName(column)}${row}"]`);
    cell.tabIndex = 0; // an element without a tabindex cannot be focused
    cell.focus();
  };
  const click = (event) => { // one handler for all cells, since there may be a thousand
    const cell = event.target.closest("td");
    if (cell) choose({ row: book.top + cell.parentElement.sectionRowIndex, column: cell.cellIndex });
  };
  const paste = (event) => { event.preventDefault(); edit.paste(columnName(chosen.column) + chosen.row, event.clipboardData.getData("text")); };
  return html`<div class="grid-box" onPaste=${edit ? paste : undefined}><table class="grid" role="grid" aria-label=${`${book.sheet} of ${book.path}`}
    aria-rowcount=${book.rows_used} onKeyDown=${move} onClick=${click}>
    <thead><tr><th scope="col"><span class="hidden">Row</span></th>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr>
      </thead>
    <tbody>${book.rows.map((row, n) => html`<tr key=${book.top + n} aria-rowindex=${book.top + n}>
      <th scope="row">${book.top + n}</th>
      ${columns.map((name, c) => {
        const cell = `${name}${book.top + n}`, value = row[c] ?? null;
        const current = chosen.row === book.top + n && chosen.column === c + 1;
        const written = edit && cell in edit.pending; // set attributes only where needed: there are many cells
        const kinds = [typeof value === "number" && "number", marked.has(cell) && "changed", cell in book.typed && "formula", written && "pending"];
        return html`<td data-cell=${cell} tabindex=${current ? 0 : undefined} aria-selected=${current || undefined}
          class=${kinds.filter(Boolean).join(" ") || undefined}>${written ? edit.pending[cell] : shown(value)}</td>`;
      })}</tr>`)}</tbody></table></div>`;
}

/** Start typing into the chosen cell; the bar above takes the following keys. Return whether the key did this. */
function typed(event, edit, cell) {
  const begins = event.key === "Enter" || event.key === "F2", gone = event.key === "Delete" || event.key === "Backspace";
  if (event.ctrlKey || event.metaKey || event.altKey || !(begins || gone || event.key.length === 1)) return false;
  event.preventDefault();
  if (begins || !gone) event.currentTarget.closest("article").querySelector(".formula-bar input").focus();
  if (gone) edit.set(cell, ""); else if (!begins) edit.set(cell, event.key);
  return true;
}

/** The editable text of the chosen cell; Enter moves to the cell below. */
function CellBar({ edit, cell, text, below }) {
  return html`<input type="text" aria-label=${`Content of ${cell}`} value=${text} autocomplete="off" spellcheck="false"
    onInput=${(event) => edit.set(cell, event.currentTarget.value)}
    onKeyDown=${(event) => { if (event.key === "Enter") { event.preventDefault(); below(); } }} />`;
}

function Opened({ book, within, changed, origin, page, edit }) {
  const [chosen, choose] = useState({ row: book.top, column: 1 });
  const cell = `${columnName(chosen.column)}${chosen.row}`;
  const value = book.rows[chosen.row - book.top]?.[chosen.column - 1] ?? null;
  const last = book.top + book.rows.length - 1;
  return html`<article class="opened ${changed === "added" ? "added" : ""}">
    <div class="split"><h3>${book.path}</h3><${OriginButton} origin=${origin} words="What changed this table" /></div>
    <div class="labels" role="group" aria-label="Sheets">${book.sheets.map((sheet) => html`
      <button class="label" aria-pressed=${sheet.name === book.sheet}
        onClick=${() => page.turn(sheet.name, 1)}>${sheet.name}</button>`)}</div>
    ${book.flaw ? html`<p class="warning">${book.flaw}</p>` : html`
      <div class="formula-bar"><output aria-label="Chosen cell">${cell}</output>${edit ? html`<${CellBar} edit=${edit} cell=${cell}
          text=${edit.pending[cell] ?? book.typed[cell] ?? shown(value)} below=${() => choose({ row: Math.min(chosen.row + 1, book.top + book.rows.length - 1), column: chosen.column })} />`
          : html`<code>${book.typed[cell] ?? shown(value)}</code>`}
        <${OriginButton} origin=${origin} part=${cell} words="What changed this cell" /></div>
      ${book.rows.length ? html`<${Grid} book=${book} within=${within} chosen=${chosen} choose=${choose} edit=${edit} />${edit?.bar}`
        : html`<${Empty}>This sheet is empty.<//>`}
      ${book.rows_used > book.rows.length && html`<p class="turn">
        <button disabled=${book.top <= 1} onClick=${() => page.turn(book.sheet, Math.max(1, book.top - book.at_once))}>Rows above</button>
        <span class="quiet small">rows ${book.top} to ${last} of ${book.rows_used.toLocaleString("en")}</span>
        <button disabled=${last >= book.rows_used} onClick=${() => page.turn(book.sheet, last + 1)}>Rows below</button></p>`}`}
  </article>`;
}

export function Sheets({ view, item, changed, within, select, origin, page, actions = {} }) {
  return html`<div class="app two sheets">
    <div class="side">${actions.side}${view.books.length ? html`<ul class="list">${view.books.map((book) => html`<li key=${book.path}>
      <button class="item ${changed[book.path] ?? ""}" aria-current=${book.path === item} onClick=${() => select(book.path)}><span
        class="path">${book.path.split("/").at(-1)}</span><span
        class="quiet small path">${book.path.split("/").slice(0, -1).join("/") || book.path.split("/")[0]}</span></button>
        </li>`)}</ul>`
      : html`<${Empty}>No tables at this moment.<//>`}</div>
    <div class="main">${view.book ? html`<${Opened} key=${`${view.book.path} ${view.book.sheet} ${view.book.top}`} book=${view.book}
      within=${within} changed=${changed[view.book.path]} origin=${origin} page=${page} edit=${actions.edit} />`
      : actions.empty ?? (view.books.length ? html`<${Empty}>Choose a table.<//>` : "")}${actions.main}</div>
  </div>`;
}
