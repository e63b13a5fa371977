// The files at a seat: folders to list, texts to read and write, pictures to look at.
import { html } from "../parts/html.mjs";
import { Files } from "../apps/files.mjs";
import { AsOf, CallButton, CallForm, EveryTool, Fold, ReadAt } from "./calls.mjs";
import { when } from "../parts/words.mjs";
import { filesView } from "./known_files.mjs";

function Side({ seat }) {
  return html`<div class="acts">
    <${CallForm} seat=${seat} tool="files_read" id="open a path" show=${["path"]} labels=${{ path: "Open a path" }} words="Read" side
      done=${() => seat.open("files", seat.calls.value.at(-1).data.path)} />
    <${CallForm} seat=${seat} tool="files_search" show=${["query"]} labels=${{ query: "Search files" }} words="Search" side />
    <${Fold} title="New text file"><${CallForm} seat=${seat} tool="files_write" show=${["path", "text"]} start=${{ path: "workspace:/" }} rows=${{ text: 10 }} words="Write file"
      done=${() => seat.open("files", seat.calls.value.at(-1).data.path)} /><//>
    <${AsOf} seat=${seat} app="files" /></div>`;
}

function Editor({ seat, path, text }) {
  const form = `edit ${path}`, changed = (seat.draft(form).text ?? text) !== text;
  return html`<${Fold} title=${changed ? "Edit (changed, not written)" : "Edit"}><${CallForm} seat=${seat} tool="files_write" id=${form} fixed=${{ path }} show=${["text"]}
    start=${{ text }} rows=${{ text: 18 }} labels=${{ text: `Whole text of ${path}` }} words="Write file" label=${`Edit ${path}`} /><//>`;
}

/** The text that was read, to be changed and written to a new file: one call, and the original stays unchanged. */
function ChangedCopy({ seat, path, text }) {
  const form = `copy with changes ${path}`, name = path.split("/").at(-1);
  return html`<${Fold} title="Write a changed copy"><${CallForm} seat=${seat} tool="files_write" id=${form} show=${["path", "text"]} start=${{ path: `workspace:/${name}`, text }}
    rows=${{ text: 18 }} labels=${{ path: "Path of the copy", text: "Its whole text" }} words="Write copy" label=${`Changed copy of ${path}`}
    done=${() => seat.open("files", seat.calls.value.at(-1).data.path)} /><//>`;
}

function Chosen({ seat, known, path }) {
  const text = known.texts.get(path), name = path.split("/").at(-1);
  return html`<div class="acts below">
    <div class="row">${text?.next && html`<${CallButton} seat=${seat} tool="files_read" given=${{ path, offset: text.next.offset, column: text.next.column ?? 0 }} words="Read on" main />
      <span class="quiet small">line ${text.next.offset} of ${text.total}</span>`}
      ${text && html`<${CallButton} seat=${seat} tool="files_read" given=${{ path }} words="Read again" />`}<${ReadAt} seat=${seat} time=${text?.read ?? known.pictures.get(path)?.read} /></div>
    ${text?.complete && html`<${ChangedCopy} key=${`copy ${path}`} seat=${seat} path=${path} text=${text.text} /><${Editor} key=${path} seat=${seat} path=${path} text=${text.text} />`}
    <${Fold} title="Copy, move, delete">
      <${CallForm} seat=${seat} tool="files_copy" id=${`copy ${path}`} fixed=${{ source: path }} show=${["target"]} start=${{ target: `workspace:/${name}` }} words="Copy" />
      <${CallForm} seat=${seat} tool="files_move" id=${`move ${path}`} fixed=${{ source: path }} show=${["target"]} words="Move" />
      <${CallButton} seat=${seat} tool="files_delete" given=${{ path }} words="Delete" /><//></div>`;
}

function NotRead({ seat, info }) {
  const { path } = info, picture = info.kind === "picture" || /\.(png|jpe?g)$/.test(path), table = /\.(xlsx|csv)$/.test(path);
  return html`<div class="pad"><h3 class="path">${path}</h3><div class="row">
    ${picture ? html`<${CallButton} seat=${seat} tool="files_view_image" given=${{ path }} words="Look at it" main />`
      : info.kind !== "workbook" && html`<${CallButton} seat=${seat} tool="files_read" given=${{ path }} words="Read" main />`}
    ${table && html`<button onClick=${() => seat.open("sheets", path)}>Open in Sheets</button>`}
    <${CallButton} seat=${seat} tool="files_info" given=${{ path }} words="Details" /></div></div>`;
}

export function SeatFiles({ seat, ...shared }) {
  const known = seat.known.value.files, path = shared.item, view = filesView(known, path);
  const info = known.files.find((file) => file.path === path);
  const actions = {
    side: html`<${Side} seat=${seat} />`,
    folder: (folder) => html`<${CallButton} seat=${seat} tool="files_list" given=${{ folder }} words=${known.listed.get(folder) ? `Again, listed ${when(known.listed.get(folder), seat.state.value.now)}` : "List"} about=${folder} />`,
    main: html`${info && html`<${Chosen} key=${path} seat=${seat} known=${known} path=${path} />`}<${EveryTool} seat=${seat} app="files" />`,
    empty: info ? html`<${NotRead} seat=${seat} info=${info} />` : null,
  };
  return html`<${Files} view=${view} actions=${actions} ...${shared} picture=${(path) => known.pictures.get(path)?.picture} />`;
}
