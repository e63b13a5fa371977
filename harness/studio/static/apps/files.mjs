// The files: a tree of both places, and the opened text or picture.
import { html } from "../parts/html.mjs";
import { Empty } from "../parts/notes.mjs";
import { OriginButton } from "../parts/origin.mjs";
import { count, size, when } from "../parts/words.mjs";

/** Folders and files as a tree: `{ path, folders: Map, files: [] }`. `folders` adds folders without known files. */
function treeOf(files, folders = []) {
  const root = { path: "", folders: new Map(), files: [] };
  const folderOf = (path) => {
    const [place, rest] = path.split(":/");
    let at = root;
    for (const part of [`${place}:/`, ...rest.split("/").slice(0, -1)]) {
      if (!at.folders.has(part)) at.folders.set(part, { path: `${at.path}${part}${part.endsWith("/") ? "" : "/"}`, folders: new Map(), files: [] });
      at = at.folders.get(part);
    }
    return at;
  };
  for (const folder of folders) folderOf(folder);
  for (const file of files) folderOf(file.path).files.push(file);
  return root;
}

function Branch({ tree, item, changed, select, folder }) {
  return html`<ul class="tree">
    ${[...tree.folders].map(([name, inner]) => html`<li key=${name} class=${folder ? "with-acts" : ""}>${folder?.(inner.path)}<details open><summary>${name}</summary>
      <${Branch} tree=${inner} item=${item} changed=${changed} select=${select} folder=${folder} /></details></li>`)}
    ${tree.files.map((file) => html`<li key=${file.path}><button class="item file ${changed[file.path] ?? ""}"
      aria-current=${file.path === item} onClick=${() => select(file.path)}>
      <span class="one-line">${file.path.split("/").at(-1)}</span><span
        class="quiet small">${file.size === null ? "" : size(file.size)}</span></button></li>`)}
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

function written(info, now) {
  if (info.changed_by) return `changed by ${info.changed_by}, ${when(info.changed, now)}`;
  return info.changed === null ? "" : "there from the start";
}

function Opened({ file, within, now, origin, picture, changed, page }) {
  const { info } = file;
  return html`<article class="opened ${changed === "added" ? "added" : ""}">
    <div class="split"><h3>${info.path}</h3><${OriginButton} origin=${origin} /></div>
    <p class="quiet small">${[info.kind, info.size === null ? "" : size(info.size), info.lines ? count(info.lines, "line") : "", written(info, now)].filter(Boolean).join(" · ")}</p>
    ${file.picture ? html`<img src=${picture(info.path)} alt=${`The picture ${info.path}`} />`
      : info.kind === "text" ? html`<${Text} file=${file} within=${within} page=${page} />`
      : html`<${Empty}>${info.kind === "workbook" ? "A workbook. See it in the tab Sheets." : "Neither a text nor a picture."}<//>`}
  </article>`;
}

export function Files({ view, item, changed, within, now, select, origin, picture, page, actions = {} }) {
  const gone = Object.keys(changed).filter((path) => changed[path] === "removed");
  return html`<div class="app two files">
    <div class="side">${actions.side}
      ${view.files.length || view.folders ? html`<${Branch} tree=${treeOf(view.files, view.folders)} item=${item} changed=${changed}
        select=${select} folder=${actions.folder} />`
        : html`<${Empty}>No files at this moment.<//>`}
      ${gone.map((path) => html`<p class="pad-side removed small">${path} was removed</p>`)}
    </div>
    <div class="main">${view.file ? html`<${Opened} file=${view.file} within=${within} now=${now} origin=${origin}
      picture=${picture} changed=${changed[view.file.info.path]} page=${page} />`
      : actions.empty ?? html`<${Empty}>Choose a file.<//>`}${actions.main}</div>
  </div>`;
}
