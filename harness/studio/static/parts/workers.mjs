// The workers of a run: models by their aliases, and agents, each with a description.
import { html } from "./html.mjs";

const KINDS = {
  model: { title: "Agents that use a model", about: "Each works with every chosen model. If you choose none of them, openai is used." },
  honest: { title: "Agents without a model", about: "" },
  cheat: { title: "Cheats", about: "They try to score without doing the work, to show that it does not pay." },
};

function Group({ title, about, choices, chosen, set, folded = false }) {
  if (!choices.length) return "";
  const tick = (name, on) => set(on ? [...chosen, name] : chosen.filter((other) => other !== name));
  return html`<fieldset class="workers"><legend class=${folded ? "hidden" : ""}>${title}</legend>${about && html`<p class="quiet small">${about}</p>`}
    ${choices.map((choice) => html`<label key=${choice.name}><input type="checkbox" aria-label=${choice.name} checked=${chosen.includes(choice.name)}
      onChange=${(event) => tick(choice.name, event.currentTarget.checked)} /><span><b>${choice.name}</b> <span class="quiet small">${choice.about}</span></span></label>`)}</fieldset>`;
}

/** The agents for `wanted`: the agent openai uses the chosen models unless another model agent is chosen. */
export function agentsOf(wanted, agents) {
  const asks = agents.some((agent) => agent.needs_model && wanted.agents.includes(agent.name));
  return wanted.models.length && !asks ? [...wanted.agents, "openai"] : wanted.agents;
}

export function Workers({ choices, wanted, set }) {
  const of = (kind) => choices.agents.filter((agent) => agent.kind === kind);
  const pick = (kind, folded = false) => html`<${Group} ...${KINDS[kind]} folded=${folded} choices=${of(kind)} chosen=${wanted.agents} set=${(agents) => set({ agents })} />`;
  const own = choices.model_choices.filter((choice) => !choice.scripted), scripted = choices.model_choices.filter((choice) => choice.scripted);
  const asked = wanted.models.length > 0 || wanted.agents.some((name) => of("model").some((agent) => agent.name === name));
  const setModels = (models) => set({ models });
  return html`<section><h2>Who works</h2>
    ${pick("honest")}
    ${own.length ? html`<${Group} title="Your models" choices=${own} chosen=${wanted.models} set=${setModels} />`
      : html`<fieldset class="workers"><legend>Your models</legend><p class="quiet small">${choices.models_missing || "api_config.json defines no model."}</p></fieldset>`}
    <details class="fold"><summary>Scripted models, which need no key</summary><${Group} title="Scripted models" folded about="They replace models; their errors depend only on the seed." choices=${scripted} chosen=${wanted.models} set=${setModels} /></details>
    ${asked && pick("model")}
    <details class="fold"><summary>Cheats</summary>${pick("cheat", true)}</details></section>`;
}
