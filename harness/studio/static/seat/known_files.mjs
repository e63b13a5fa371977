// The person's knowledge of the files: the listed folders, and the texts and pictures that were read.

const PLACES = ["workspace:/", "drive:/"];

function parentOf(path) { return path.replace(/[^/]*\/?$/, ""); }

export function foldFiles(calls) {
  const files = new Map(), folders = new Map(PLACES.map((path) => [path, null])), texts = new Map(), pictures = new Map();
  const add = (path, more = {}) => {
    files.set(path, { kind: /\.(xlsx)$/.test(path) ? "workbook" : "text", size: null, changed: null, changed_by: "", ...files.get(path), path, ...more });
    for (let up = parentOf(path); !PLACES.includes(up) && up.includes(":/"); up = parentOf(up)) if (!folders.has(up)) folders.set(up, null);
  };
  const remove = (path) => {
    for (const known of [files, texts, pictures, folders]) {
      for (const other of known.keys()) if (other === path || other.startsWith(`${path.replace(/\/$/, "")}/`)) known.delete(other);
    }
  };
  for (const call of calls) {
    const { tool, arguments: given, data, until } = call;
    if (tool === "files_list") {
      folders.set(slashed(given.folder ?? "drive:/"), until);
      for (const { path, kind, size } of data.entries) {
        if (kind !== "folder") add(path, { kind, size });
        else if (!folders.has(slashed(path))) folders.set(slashed(path), null);
      }
    } else if (tool === "files_read") readInto(texts, call, add);
    else if (tool === "files_write") { add(data.path, { kind: "text", size: data.size, changed: until, changed_by: "you" }); texts.set(data.path, whole(given.text)); }
    else if (tool === "files_edit") { add(data.path, { size: data.size, changed: until, changed_by: "you" }); edited(texts, data.path, given.edits); }
    else if (tool === "files_info") add(data.path, { kind: data.kind, size: data.size, changed: data.changed, changed_by: data.changed_by, lines: data.lines });
    else if (tool === "files_view_image") { add(data.path, { kind: "picture", size: data.size }); if (call.pictures[0]) pictures.set(data.path, { picture: call.pictures[0], read: until }); }
    else if (tool === "files_copy") for (const path of data.paths) add(path);
    else if (tool === "files_move") { remove(given.source); for (const path of data.paths) add(path); }
    else if (tool === "files_delete") for (const path of [given.path, ...data.paths]) remove(path);
    else if (tool === "files_search") for (const hit of data.hits) add(hit.path);
    else if (tool === "mail_save") add(data.path, { size: data.size, changed: until, changed_by: "you" });
    else if (tool === "calendar_export") add(data.path, { changed: until, changed_by: "you" });
    else if (tool.startsWith("sheets_") && (data.path || given.path)) { add(data.path ?? given.path); if (data.range !== undefined && data.path) texts.delete(data.path); }
  }
  return { files: [...files.values()].sort((a, b) => a.path.localeCompare(b.path)), folders: [...folders.keys()].sort((a, b) => b.split(":")[0].localeCompare(a.split(":")[0]) || a.localeCompare(b)), listed: folders, texts, pictures };
}

function slashed(path) { return path.endsWith("/") ? path : `${path}/`; }

function whole(text) { return { text, first: 0, total: text.split("\n").length, next: null, complete: true }; }

/** Add a page of a text; a page that continues the last one is appended to it. */
function readInto(texts, { data, until }, add) {
  add(data.path);
  const before = texts.get(data.path);
  const goesOn = before?.next && before.next.offset === data.offset && data.offset + data.total_lines > 0;
  const text = goesOn ? before.text + data.text : data.text;
  const next = data.next_offset === null ? null : { offset: data.next_offset, column: data.next_column };
  const first = goesOn ? before.first : data.offset;
  texts.set(data.path, { text, first, total: data.total_lines, next, complete: !next && first === 0, read: until });
}

function edited(texts, path, edits) {
  const known = texts.get(path);
  if (!known?.complete) { texts.delete(path); return; }
  texts.set(path, whole(edits.reduce((text, edit) => text.replace(edit.old, () => edit.new), known.text)));
}

/** The view of the files with `path` opened, as the component draws it. */
export function filesView(known, path) {
  const info = known.files.find((file) => file.path === path), text = known.texts.get(path);
  const view = { files: known.files, folders: known.folders, file: null };
  if (!info || !(text || known.pictures.has(path))) return view;
  if (!text) return { ...view, file: { info, lines: [], first_line: 1, total_lines: 0, at_once: 1, picture: true } };
  const lines = text.text.replace(/\n$/, "").split("\n"), first = text.first + 1;
  return { ...view, file: { info, lines, first_line: first, total_lines: first + lines.length - 1, at_once: lines.length, picture: false, alone: true } };
}
