// The sheets: all tables, and a grid over a window of rows of one of them; buttons turn to the next.
import { html, useState } from "../parts/html.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";

export function columnName(number) {
  let name = "";
  for (let left = number; left > 0; left = Math.floor((left - 1) / 26)) name = String.fromCharCode(65 + ((left - 1) % 26)) + name;
  return name;
}

function shown(value) { return value === null ? "" : typeof value === "boolean" ? String(value).toUpperCase() : String(value); }

function Grid({ book, within, chosen, choose }) {
  const marked = new Set(within);
  const width = Math.max(book.columns_used, 1, ...book.rows.map((row) => row.length));
  const columns = Array.from({ length: Math.min(width, 60) }, (_, n) => columnName(n + 1));
  const move = (event) => {
    const by = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (!by) return;
    event.preventDefault();
    event.stopPropagation();
    const [row, column] = [chosen.row + by[0], chosen.column + by[1]];
    if (row < book.top || row >= book.top + book.rows.length || column < 1 || column > columns.length) return;
    choose({ row, column });
    event.currentTarget.querySelector(`[data-cell="${columnName(column)}${row}"]`)?.focus();
  };
  return html`<div class="grid-box"><table class="grid" role="grid" aria-label=${`${book.sheet} of ${book.path}`}
    aria-rowcount=${book.rows_used} onKeyDown=${move}>
    <thead><tr><th scope="col"><span class="hidden">Row</span></th>${columns.map((name) => html`<th scope="col">${name}</th>`)}</tr>
      </thead>
    <tbody>${book.rows.map((row, n) => html`<tr key=${book.top + n} aria-rowindex=${book.top + n}>
      <th scope="row">${book.top + n}</th>
      ${columns.map((name, c) => {
        const cell = `${name}${book.top + n}`, value = row[c] ?? null;
        const current = chosen.row === book.top + n && chosen.column === c + 1;
        return html`<td data-cell=${cell} tabindex=${current ? 0 : -1} aria-selected=${current}
          onClick=${() => choose({ row: book.top + n, column: c + 1 })}
          class="${typeof value === "number" ? "number" : ""} ${marked.has(cell) ? "changed" : ""} ${cell in book.typed ? "formula" : ""}">${shown(value)}</td>`;
      })}</tr>`)}</tbody></table></div>`;
}

function Opened({ book, within, changed, origin, page }) {
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
      <div class="formula-bar"><output aria-label="Chosen cell">${cell}</output><code>${book.typed[cell] ?? shown(value)}</code>
        <${OriginButton} origin=${origin} part=${cell} words="What changed this cell" /></div>
      ${book.rows.length ? html`<${Grid} book=${book} within=${within} chosen=${chosen} choose=${choose} />`
        : html`<${Empty}>This sheet is empty.<//>`}
      ${book.rows_used > book.rows.length && html`<p class="turn">
        <button disabled=${book.top <= 1} onClick=${() => page.turn(book.sheet, Math.max(1, book.top - book.at_once))}>Rows above</button>
        <span class="quiet small">rows ${book.top} to ${last} of ${book.rows_used.toLocaleString("en")}</span>
        <button disabled=${last >= book.rows_used} onClick=${() => page.turn(book.sheet, last + 1)}>Rows below</button></p>`}`}
  </article>`;
}

export function Sheets({ view, item, changed, within, select, origin, page }) {
  return html`<div class="app two sheets">
    <div class="side">${view.books.length ? html`<ul class="list">${view.books.map((book) => html`<li key=${book.path}>
      <button class="item ${changed[book.path] ?? ""}" aria-current=${book.path === item} onClick=${() => select(book.path)}><span
        class="path">${book.path.split("/").at(-1)}</span><span
        class="quiet small path">${book.path.split("/").slice(0, -1).join("/") || book.path.split("/")[0]}</span></button>
        </li>`)}</ul>`
      : html`<${Empty}>No tables at this moment.<//>`}</div>
    <div class="main">${view.book ? html`<${Opened} key=${`${view.book.path} ${view.book.sheet} ${view.book.top}`} book=${view.book}
      within=${within} changed=${changed[view.book.path]} origin=${origin} page=${page} />`
      : html`<${Empty}>Choose a table.<//>`}</div>
  </div>`;
}
