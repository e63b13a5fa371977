// What goes wherever a score stands that is not an agent's alone on a whole day.
import { html } from "./html.mjs";

const TOLD = {
  guided: "A person guided this agent: its score is compared with no others.",
  forked: "Part of the day is another's: its score is never counted among whole days.",
};

/** `marks` as the studio gives them with an episode, or those of several. */
export function Marks({ marks }) {
  return [...new Set(marks)].map((mark) => html`<span key=${mark} class="tag mark" title=${TOLD[mark]}>${mark}</span>`);
}

/** The same where there is room for words alone: ", guided, forked". */
export function marksInWords(marks) { return marks.map((mark) => `, ${mark}`).join(""); }
