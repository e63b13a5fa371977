// The irreversible effects of a call, as far as the person can know them; "" for all other calls. Only these
// calls need a confirmation.

const ON_DRIVE = /^drive:/;

/** `path` in the office's notation: "workspace:/report.md". */
function written(path) { return String(path ?? "").trim().replace(/^(\w+):\/*/, "$1:/"); }

function folderOf(path) { return path.replace(/[^/]*\/?$/, ""); }

/** The loss if a file is written as a whole. */
function replaced(path, files) {
  const known = files.files.some((file) => file.path === path);
  if (ON_DRIVE.test(path)) {
    if (known) return "It replaces a file on the drive, which everybody uses.";
    return files.listed.get(folderOf(path)) ? "" : "You have not listed that folder: if the drive has such a file, it is replaced.";
  }
  return known && !files.texts.get(path)?.complete ? "It replaces a file that you have not read to its end." : "";
}

function changed(path) { return ON_DRIVE.test(path) ? "It changes a file on the drive, which everybody uses." : ""; }

/** The loss if cells are written that were never read. */
function overwritten(path, sheets) {
  return changed(path) || (sheets.known.has(path) ? "" : "You have not read this table: the content of these cells will be lost.");
}

function finished(open) { return `Nothing more can be done today.${open.length ? ` Not handed in: ${open.join(", ")}.` : ""}`; }

const LOST = {
  desk_finish_day: (given, known) => finished(known.desk.tasks.filter((task) => !task.submitted).map((task) => task.id)),
  calendar_cancel: () => "The invited people are told.",
  calendar_export: (given, known) => replaced(written(given.path), known.files),
  files_write: (given, known) => replaced(written(given.path), known.files),
  files_edit: (given) => changed(written(given.path)),
  files_move: (given) => changed(written(given.source)),
  files_delete: () => "A deleted file cannot be restored.",
  mail_save: (given, known) => replaced(written(given.path), known.files),
  monitor_start_maintenance: (given) => (given.code ? "" : "Without a code it counts as a wrong attempt; three of them lock the server for the day."),
  sheets_append: (given) => changed(written(given.path)),
  sheets_change: (given) => changed(written(given.path)) || (given.action === "delete" ? "A deleted sheet cannot be restored." : ""),
  sheets_fill: (given, known) => overwritten(written(given.path), known.sheets),
  sheets_write: (given, known) => overwritten(written(given.path), known.sheets),
};

/** Why a call cannot be undone, in words. `listed` is the tool, `known` the content of the answers so far. */
export function cannotBeUndone(listed, given, known) {
  if (!listed) return "";
  const lost = LOST[listed.name];
  return lost ? lost(given, known) : listed.destructive ? "Its changes may be permanent." : "";
}
