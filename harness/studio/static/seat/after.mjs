// After the day: two questions, then the score and links to the run.
import { html, useState } from "../parts/html.mjs";
import { Marks } from "../parts/marks.mjs";
import { Loading } from "../parts/notes.mjs";
import { TaskResults } from "../parts/results.mjs";
import { address } from "../parts/route.mjs";
import { count, score } from "../parts/words.mjs";
import { Others } from "./others.mjs";

function Questions({ seat }) {
  const [experience, setExperience] = useState(""), [aids, setAids] = useState("");
  const send = (event) => { event.preventDefault(); seat.finish({ experience, aids }); };
  return html`<form class="after call-form" aria-label="After the day" onSubmit=${send}><h2>The day is over</h2>
    <p>Two questions before your score. You may leave both empty. Your answers are saved with your result.</p>
    <div class="field"><label for="experience">What experience do you have with such work?</label>
      <textarea id="experience" rows="2" maxlength="2000" value=${experience} onInput=${(event) => setExperience(event.currentTarget.value)}></textarea></div>
    <div class="field"><label for="aids">Which aids did you use, for example a calculator?</label>
      <textarea id="aids" rows="2" maxlength="2000" value=${aids} onInput=${(event) => setAids(event.currentTarget.value)}></textarea></div>
    <button class="main-action">Show my score</button></form>`;
}

export function AfterDay({ seat }) {
  const state = seat.state.value;
  if (state.status === "asked") return html`<${Questions} seat=${seat} />`;
  if (state.status !== "over") return html`<${Loading} what="Grading the day" />`;
  const complete = state.results.filter((task) => task.success).length;
  return html`<section class="after" aria-label="Result"><h2>${complete} of ${count(state.results.length, "task")} complete. Your score: <b class="score">${score(state.score)}</b> <${Marks} marks=${state.forked_from ? ["forked"] : []} /></h2>
    <p>Your day is a run of the agent ${state.person}, with a report, a replay and comparisons.${state.forked_from ? " Part of the day was another agent's work, so it is never counted among whole days." : ""}</p>
    <p class="row"><a class="button main-action" href=${address("episode", state.episode)}>See the day step by step</a>
      <a class="button" href=${address("compare", "", { a: state.episode })}>Compare it</a><a class="button" href=${address("seat")}>Take another day</a></p>
    <div class="after-columns"><section aria-label="Checkpoints"><h3>Your tasks and their checkpoints</h3><${TaskResults} tasks=${state.results} /></section>
      <${Others} seat=${seat} /></div></section>`;
}
