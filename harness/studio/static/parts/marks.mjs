// Marks beside every score that an agent did not reach alone on a whole day.
import { html } from "./html.mjs";

const TOLD = {
  guided: "A person guided this agent, so its score is not compared with others.",
  forked: "Part of the day is another agent's work, so its score is never counted among whole days.",
};

/** `marks` are those of one or of several episodes. */
export function Marks({ marks }) {
  return [...new Set(marks)].map((mark) => html`<span key=${mark} class="tag mark" title=${TOLD[mark]}>${mark}</span>`);
}

/** The same as plain text: ", guided, forked". */
export function marksInWords(marks) { return marks.map((mark) => `, ${mark}`).join(""); }
