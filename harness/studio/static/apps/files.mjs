// The files: a tree of both places, and the opened text or picture.
import { html } from "../parts/html.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";
import { size, when } from "../parts/words.mjs";

/** Folders and files as a tree: `{ folders: Map, files: [] }`. */
function treeOf(files) {
  const root = { folders: new Map(), files: [] };
  for (const file of files) {
    const [place, rest] = file.path.split(":/");
    const parts = [`${place}:/`, ...rest.split("/").slice(0, -1)];
    let at = root;
    for (const part of parts) {
      if (!at.folders.has(part)) at.folders.set(part, { folders: new Map(), files: [] });
      at = at.folders.get(part);
    }
    at.files.push(file);
  }
  return root;
}

function Branch({ tree, item, changed, select }) {
  return html`<ul class="tree">
    ${[...tree.folders].map(([name, inner]) => html`<li key=${name}><details open><summary>${name}</summary>
      <${Branch} tree=${inner} item=${item} changed=${changed} select=${select} /></details></li>`)}
    ${tree.files.map((file) => html`<li key=${file.path}><button class="item file ${changed[file.path] ?? ""}"
      aria-current=${file.path === item} onClick=${() => select(file.path)}>
      <span class="one-line">${file.path.split("/").at(-1)}</span><span class="quiet small">${size(file.size)}</span></button>
        </li>`)}
  </ul>`;
}

function Text({ file, within, page }) {
  const marked = new Set(within);
  const last = file.first_line + file.lines.length - 1;
  return html`<div class="code" tabindex="0" role="group" aria-label="Lines"><ol>${file.lines.map((line, n) => html`
      <li class=${marked.has(String(file.first_line + n)) ? "changed" : ""} value=${file.first_line + n}><code>${line || " "}</code>
        </li>`)}</ol></div>
    ${(file.first_line > 1 || last < file.total_lines) && html`<p class="turn">
      <button disabled=${file.first_line <= 1}
        onClick=${() => page.turn("", Math.max(1, file.first_line - file.at_once))}>Earlier lines</button>
      <span class="quiet small">lines ${file.first_line} to ${last} of ${file.total_lines}</span>
      <button disabled=${last >= file.total_lines} onClick=${() => page.turn("", last + 1)}>Later lines</button></p>`}`;
}

function Opened({ file, within, now, origin, picture, changed, page }) {
  const { info } = file;
  return html`<article class="opened ${changed === "added" ? "added" : ""}">
    <div class="split"><h3>${info.path}</h3><${OriginButton} origin=${origin} /></div>
    <p class="quiet small">${info.kind} · ${size(info.size)} · ${info.changed_by ? `changed by ${info.changed_by}, ${when(info.changed, now)}` : "there from the beginning"}</p>
    ${file.picture ? html`<img src=${picture(info.path)} alt=${`The picture ${info.path}`} />`
      : info.kind === "text" ? html`<${Text} file=${file} within=${within} page=${page} />`
      : html`<${Empty}>${info.kind === "workbook" ? "A workbook: the tab Sheets shows it." : "Neither text nor picture."}<//>`}
  </article>`;
}

export function Files({ view, item, changed, within, now, select, origin, picture, page }) {
  const gone = Object.keys(changed).filter((path) => changed[path] === "removed");
  return html`<div class="app two files">
    <div class="side">
      ${view.files.length ? html`<${Branch} tree=${treeOf(view.files)} item=${item} changed=${changed} select=${select} />`
        : html`<${Empty}>No files at this moment.<//>`}
      ${gone.map((path) => html`<p class="pad-side removed small">${path} was removed</p>`)}
    </div>
    <div class="main">${view.file ? html`<${Opened} file=${view.file} within=${within} now=${now} origin=${origin}
      picture=${picture} changed=${changed[view.file.info.path]} page=${page} />`
      : html`<${Empty}>Choose a file.<//>`}</div>
  </div>`;
}
