"""Texts of the campaign task: the objective, public answers, and the hidden audience fit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from trainee_bench.meta_tasks.authoring import (
    FULL_NAME,
    PATH,
    TENTHS,
    WORD,
    Handbook,
    HiddenFact,
    Modality,
    TextTemplate,
    ValueTemplate,
    one_of,
    optional,
    pairs,
)
from trainee_bench.meta_tasks.families.ads_strategy.deliverables import CampaignPlan
from trainee_bench.meta_tasks.families.ads_strategy.subject import (
    GROUP_WORDS,
    ChannelType,
    City,
    Fits,
    TargetGroup,
)
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

DEPARTMENT = "Marketing"
FOLDER = "drive:/ads_strategy"
HANDBOOK = Handbook(
    path=f"{FOLDER}/ads_planning_handbook.md",
    resource="trainee_bench.meta_tasks.families.ads_strategy/handbook.md",
    topic="handbook for planning ads",
    questions=(
        "Where is the handbook for planning advertising campaigns?",
        "Is there a guide to planning ads?",
        "Where do I find the density maps?",
        "Where is the list of advertising channels?",
        "Where can I read how to calculate the exposure of an advertising channel?",
        "How is exposure calculated?",
        "Which document has the formula for exposure?",
        "Where do I find Marketing's data for the ad campaigns?",
        "Which document explains how advertising channels are chosen?",
        "Is there anything written about how we work out the reach of adverts?",
        "Where are the instructions for planning adverts?",
        "How do I find out how many people our adverts reach?",
    ),
    referral="{path} explains how campaigns are planned. The channels and the densities of each "
    "campaign are in the same folder.",
)
DENSITY_WORDS: Mapping[Modality, str] = {
    Modality.PICTURES: "Three density maps for a campaign (PNG), one for each group of people. "
    "View them as pictures: each cell shows the group's density as a number.",
    Modality.TABLES: "Three density tables for a campaign (CSV), one for each group of people. "
    "Each line gives a cell (grid_i, grid_j) and the group's density in it.",
}
"""Replacements for {{density}} in the handbook."""
FORMULA = "exposure = round(base_effect * (0.5 + 0.5 * density / 5) * fit, 2)"
"""The handbook's formula, which `Channel.exposure` implements."""


@dataclass(frozen=True)
class Deduction:
    """An amount from another task's result that is paid from this budget."""

    amount: str
    path: str
    task: str


_DEDUCTION = TextTemplate(
    Deduction,
    " minus {amount} of {path} (your result for {task}), which is paid from the same budget; "
    "ignore any cents left over",
    {"path": PATH, "task": WORD},
)


@dataclass(frozen=True)
class CampaignBrief:
    """Contents of the objective."""

    city: City
    group: TargetGroup
    budget: int
    deduction: Deduction | None
    channels: str
    modality: Modality
    maps: Mapping[TargetGroup, str]
    plan: str


OBJECTIVE_RULES = (
    "It targets",
    "choose those that together reach the highest exposure without exceeding the budget.",
    "If several selections reach the same highest exposure, any of them is right.",
    "explains how to calculate the exposure of a channel.",
    "show how densely people of each group live:",
    "The audience fit of the channel types for this campaign is not written down.",
    "has set the values:",
    "first ask any colleague in the chat who that is, then ask that person for the values, naming",
    "the city both times.",
    "Do not change the files on the drive.",
)
"""Sentences of the objective that honest work relies on."""
OBJECTIVE = TextTemplate(
    CampaignBrief,
    "Plan our advertising campaign in {city}. It targets {group}, and its budget "
    "is {budget}{deduction}. From the channels in {channels}, choose those that together "
    "reach the highest exposure without exceeding the budget. If several selections reach "
    "the same highest exposure, any of them is right.\n"
    f"{HANDBOOK.path} explains how to calculate the exposure of a channel. The {{modality}} show "
    "how densely people of each group live:\n"
    "{maps}\n"
    f"The audience fit of the channel types for this campaign is not written down. Somebody in "
    f"{DEPARTMENT} has set the values: first ask any colleague in the chat who that is, then ask "
    "that person for the values, naming the city both times. Do not change the files on the "
    "drive.\n"
    "Hand in {plan}, a JSON object with exactly these fields:\n" + CampaignPlan.describe(),
    {
        "group": one_of(GROUP_WORDS),
        "deduction": optional(_DEDUCTION.converter()),
        "channels": PATH,
        "modality": one_of(
            {
                Modality.PICTURES: "density maps (view them as pictures)",
                Modality.TABLES: "density tables",
            }
        ),
        "maps": pairs(
            one_of({group: f"- {words}" for group, words in GROUP_WORDS.items()}), ": ", PATH, "\n"
        ),
        "plan": PATH,
    },
)

# the hidden fact ----------------------------------------------------------------------------


@dataclass(frozen=True)
class AudienceFit:
    """Audience fits for the campaign in a city."""

    city: City
    fits: Fits


FIT = HiddenFact(
    name="fit",
    questions=(
        "What is the audience fit of each channel type for the campaign in {city}?",
        "Which audience fit values apply to {city}?",
        "Could you tell me the audience fit of all four types of channels for {city}?",
        "How well does each type of channel fit the target audience in {city}?",
        "Which fit do I use for subway, mall_screen, bus_stop and campus_screen in {city}?",
        "I am planning the ads for {city} and need the fit of every type of channel.",
        "What fit factors did you set for the advertising channels in {city}?",
        "What values of audience fit should I put into the exposure formula for {city}?",
        "How high is the audience fit of subway channels in {city}?",
        "How suitable is each type of channel for the people we want to reach in {city}?",
        "Which weights did you give subway, mall screens, bus stops, campus screens in {city}?",
        "How well do subway, mall_screen, bus_stop, campus_screen suit our public in {city}?",
    ),
    answer=TextTemplate(
        AudienceFit,
        "The audience fit for the campaign in {city}: {fits}.",
        {"fits": pairs(one_of({type: type.value for type in ChannelType}), " ", TENTHS, ", ")},
    ),
)
_WHO = (
    "Who sets the audience fit for the campaign in {city}?",
    "Who knows the audience fit of the channel types for {city}?",
    "Whom do I ask about the audience fit for {city}?",
    "Who in Marketing has decided on the fit of the channels for the {city} campaign?",
    "Which colleague knows the audience fit of subway, mall_screen, bus_stop and campus_screen?",
    "Who knows the fit per channel type (subway, mall_screen, bus_stop, campus_screen) in {city}?",
    "Who is responsible for the audience fit in the {city} campaign?",
    "Whom should I contact about the fit values of the advertising channels in {city}?",
    "Who has decided how suitable each channel is in {city}?",
    "Whose decision was the audience fit for {city}, and whom do I write to?",
)
FIT_HOLDER = ValueTemplate(f"{{value}} in {DEPARTMENT} has set the audience fit", FULL_NAME)


def holder_referral(holder: Person, city: City) -> ReferralPublished:
    """Return the public answer that names the colleague who has set the fit."""
    return ReferralPublished(
        topic=f"audience fit for the campaign in {city}",
        asks=tuple(ask.format(city=city) for ask in _WHO),
        text=f"{FIT_HOLDER.render(holder.name)} for the campaign in {city}.",
        person=holder.id,
        keys=(city,),
    )
