// The page for answering as the colleagues of an episode: the questions, the known facts, the reply.
import { Guidance } from "../parts/guidance_model.mjs";
import { html, useEffect, useState } from "../parts/html.mjs";
import { Name } from "../parts/names.mjs";
import { Failed, Loading } from "../parts/notes.mjs";
import { address } from "../parts/route.mjs";
import { count } from "../parts/words.mjs";

function Left({ until, now }) {
  const seconds = Math.max(0, Math.round(until - now / 1000));
  return html`<span class="tag ${seconds < 20 ? "none" : ""}">the script answers in ${seconds} s</span>`;
}

function Question({ question, guidance, now }) {
  const [text, setText] = useState(""), [topic, setTopic] = useState("");
  const [error, setError] = useState(""), [sent, setSent] = useState(false);
  const send = async (body) => {
    setError("");
    setSent(true); // disabled until the studio confirms, so that nobody answers twice
    if (await guidance.act("reply", { question: question.question, ...body })) return;
    setError(guidance.error.value);
    setSent(false);
  };
  return html`<article class="question" aria-label=${`Question to ${question.colleague}`}>
    <div class="split wrap"><h2><${Name} name=${question.colleague} /> <span class="quiet">${question.title}</span></h2><${Left} until=${question.until} now=${now} /></div>
    <div class="question-columns"><div>
      <h3>${question.group ? `In ${question.group}` : "Talk"}</h3>
      <ol class="talk-lines">${question.talk.map((line) => html`<li><b><${Name} name=${line.who} /></b> <bdi>${line.text}</bdi></li>`)}
        <li class="asked"><b><${Name} name=${question.asker} /></b> <bdi>${question.text}</bdi></li></ol>
      <form onSubmit=${(event) => { event.preventDefault(); send({ text, topic }); }}>
        <label class="choice"><span>Your answer as <${Name} name=${question.colleague} /></span><textarea rows="3" dir="auto" maxlength="2000" value=${text}
          onInput=${(event) => setText(event.currentTarget.value)}></textarea></label>
        ${error && html`<p class="warning small" role="alert">${error}</p>`}
        <div class="dialog-buttons"><button type="submit" class="strong" disabled=${sent || (!text.trim() && !topic)}>Answer</button>
          <button type="button" disabled=${sent} onClick=${() => send({})}>Let the script answer</button></div></form></div>
      <fieldset class="topics"><legend>What you know</legend>
        <label><input type="radio" name=${`topic-${question.question}`} checked=${topic === ""} onChange=${() => setTopic("")} /> <span>Tell none of this</span></label>
        ${question.topics.map((known) => html`<label key=${known.id}><input type="radio" name=${`topic-${question.question}`} checked=${topic === known.id}
          onChange=${() => setTopic(known.id)} /> <span><b>${known.question}</b>${known.told ? html` <i class="tag">told already</i>` : ""}
          <span class="payload">${known.payload}</span></span></label>`)}
        ${question.topics.length === 0 && html`<p class="quiet small">Nothing that today's tasks need.</p>`}
        <p class="quiet small">You write the answer; the rules of the day decide whether the fact may be told. It is added word for word at the end, or where you write <code>${"{told}"}</code>.</p>
      </fieldset></div></article>`;
}

/** The choice of colleagues to play: everybody, or the ticked ones; the script answers for the others. */
function Whom({ facts, guidance }) {
  const { colleagues, chosen } = facts, [words, setWords] = useState("");
  const play = (ids) => guidance.act("play", { colleagues: ids });
  const wanted = words.trim().toLowerCase(), all = colleagues.map((colleague) => colleague.id);
  const found = colleagues.filter((colleague) => !wanted || `${colleague.name} ${colleague.title}`.toLowerCase().includes(wanted));
  const tick = (id, on) => play(on ? [...chosen, id] : chosen.filter((other) => other !== id));
  return html`<details class="fold whom"><summary>You play ${chosen ? `${chosen.length} of ${count(all.length, "colleague")}` : `all ${count(all.length, "colleague")}`}</summary>
    <fieldset class="ticks-of"><legend>Whom you play; the script answers for the others</legend>
      <label><input type="radio" name="whom" checked=${!chosen} onChange=${() => play(null)} /> All</label>
      <label><input type="radio" name="whom" checked=${Boolean(chosen)} onChange=${() => play(colleagues.filter((colleague) => colleague.knows).map((colleague) => colleague.id))} /> Only some</label></fieldset>
    ${chosen && html`<input type="search" aria-label="Search colleagues" placeholder="Search colleagues" value=${words} onInput=${(event) => setWords(event.currentTarget.value)} />
      <div class="whom-list" tabindex="0" role="group" aria-label="Colleagues you may play">${found.map((colleague) => html`<label key=${colleague.id}><input type="checkbox" checked=${chosen.includes(colleague.id)}
        onChange=${(event) => tick(colleague.id, event.currentTarget.checked)} /> <span><b><${Name} name=${colleague.name} /></b> <span class="quiet small">${colleague.title}</span>${colleague.knows ? html` <i
        class="tag">knows something</i>` : ""}</span></label>`)}</div>`}</details>`;
}

export function ColleaguePage({ id }) {
  const [guidance] = useState(() => new Guidance(id)), [now, setNow] = useState(Date.now());
  useEffect(() => () => guidance.close(), [guidance]);
  useEffect(() => { const timer = setInterval(() => setNow(Date.now()), 1000); return () => clearInterval(timer); }, []);
  const facts = guidance.facts.value;
  if (!facts) return guidance.error.value ? html`<${Failed} error=${guidance.error.value} />` : html`<${Loading} what="Loading the questions" />`;
  const { questions } = facts, over = !facts.control?.working;
  return html`<section class="colleague-page" aria-label="Colleagues"><p class="over"><a href=${address("episode", id)}>To the episode</a></p>
    <h1>Colleagues</h1>
    <p class="lead" role="status">${over ? "The day is over." : !facts.plays_colleagues ? "The script answers for the colleagues of this episode."
      : questions.length ? `${count(questions.length, "question")} to answer.` : "No questions at the moment."}</p>
    ${!over && facts.plays_colleagues && html`<${Whom} facts=${facts} guidance=${guidance} />`}
    ${!over && facts.plays_colleagues && !questions.length && html`<p class="quiet">A question to a colleague appears here as soon as the agent sends it. While you answer, neither the simulated clock nor the agent's time runs.</p>`}
    ${questions.map((question) => html`<${Question} key=${question.question} question=${question} guidance=${guidance} now=${now} />`)}
  </section>`;
}
