"""What is told of a campaign: the objective, the handbook, who knows the audience fit."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from trainee_bench.meta_tasks.families.ads_strategy.campaign import City, TargetGroup
from trainee_bench.meta_tasks.families.ads_strategy.channels import Fits
from trainee_bench.meta_tasks.families.ads_strategy.deliverables import CampaignPlan
from trainee_bench.meta_tasks.meta_task import Hints
from trainee_bench.meta_tasks.task_context import Modality, TaskContext
from trainee_bench.world.colleagues.knowledge import Clue
from trainee_bench.world.colleagues.referrals import ReferralPublished
from trainee_bench.world.company.people import Person

FIT_CLUE = "fit"
DEPARTMENT = "Marketing"
FOLDER = "drive:/ads_strategy"
HANDBOOK = f"{FOLDER}/ads_planning_handbook.md"
_DENSITY = {
    Modality.PICTURES: "Three density maps for each campaign (PNG), one for each group of people. "
    "They are pictures: look at them. Each cell has the group's density printed in it.",
    Modality.TABLES: "Three density tables for each campaign (CSV), one for each group of people. "
    "A line has the cell (grid_i, grid_j) and the group's density in it.",
}
_WHAT = (
    "What is the audience fit of each channel type for the campaign in {city}?",
    "Which audience fit values hold for {city}?",
    "Could you tell me the audience fit of all four types of channels for {city}?",
    "How well does each type of channel fit the target audience in {city}?",
    "Which fit do I use for subway, mall_screen, bus_stop and campus_screen in {city}?",
    "I am planning the ads for {city} and need the fit of every type of channel.",
    "What fit factors did you set for the advertising channels in {city}?",
    "What values of audience fit should I put into the exposure formula for {city}?",
    "How high is the audience fit of subway channels in {city}?",
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
)
_HANDBOOK_ASKS = (
    "Where is the handbook for planning advertising campaigns?",
    "Is there a guide to planning ads?",
    "Where do I find the density maps?",
    "Where is the list of advertising channels?",
    "Where can I read how the exposure of an advertising channel is worked out?",
    "How is exposure calculated?",
    "Which document has the formula of the exposure?",
    "Where do I find Marketing's data for the ad campaigns?",
    "Which document explains how advertising channels are chosen?",
)


def objective(
    city: City,
    group: TargetGroup,
    budget: str,
    paths: Mapping[TargetGroup | str, str],
    modality: Modality,
) -> str:
    """All that the agent is told at the start; *budget* in words, *paths* has "channels", "plan"
    and the maps."""
    maps = "\n".join(f"- {of.words}: {paths[of]}" for of in TargetGroup)
    drawn = modality is Modality.PICTURES
    shown = "density maps (pictures, to be looked at)" if drawn else "density tables"
    return (
        f"Plan our advertising campaign in {city}. It is meant for {group.words}, and its budget "
        f"is {budget}. From the channels in {paths['channels']} choose those that together "
        "reach the highest exposure and cost no more than the budget. If several selections reach "
        "the same highest exposure, each of them is right.\n"
        f"{HANDBOOK} says how the exposure of a channel is worked out. How densely people of "
        f"each group live stands in the {shown}:\n"
        f"{maps}\n"
        f"The audience fit of the channel types for this campaign is not written down. Somebody in "
        f"{DEPARTMENT} has set it, and their colleagues can say who: ask in the chat, naming the "
        "city. Do not change the files on the drive.\n"
        f"Hand in {paths['plan']}, a JSON object with exactly these fields:\n{CampaignPlan.describe()}"
    )


@cache
def handbook(modality: Modality) -> str:
    """The text of the handbook."""
    resource = files("trainee_bench.meta_tasks.families.ads_strategy") / "handbook.md"
    return resource.read_text(encoding="utf-8").replace("{{density}}", _DENSITY[modality])


def handbook_referral() -> ReferralPublished:
    """Everybody knows where handbook and data are."""
    return ReferralPublished(
        topic="handbook for planning ads",
        asks=_HANDBOOK_ASKS,
        text=f"How campaigns are planned is written down in {HANDBOOK}. The channels and the "
        "densities of each campaign lie in the same folder.",
    )


def draw_fit_holder(context: TaskContext) -> Person:
    """Who has set the fit; of two campaigns not the same person, if possible."""
    people = context.company.staff(DEPARTMENT)
    claims = context.reservations.claims
    free = [one for one in people if _claim(one) not in claims] or people
    (drawn,) = context.pick("who set the fit", free)
    claims.setdefault(_claim(drawn), context.task)
    return drawn


def _claim(person: Person) -> str:
    return f"an audience fit set by {person.id}"


def fit_clue(context: TaskContext, holder: Person, city: City, fits: Fits) -> Clue:
    """What the holder tells."""
    values = ", ".join(f"{type} {fit / 10}" for type, fit in fits.items())
    return Clue(
        id=context.clue_id(FIT_CLUE),
        holder=holder.id,
        asks=tuple(ask.format(city=city) for ask in _WHAT),
        keys=(city,),
        payload=f"The audience fit for the campaign in {city}: {values}.",
    )


def holder_referral(holder: Person, city: City) -> ReferralPublished:
    """Everybody knows who has set the fit."""
    return ReferralPublished(
        topic=f"audience fit for the campaign in {city}",
        asks=tuple(ask.format(city=city) for ask in _WHO),
        text=f"{holder.name} in {DEPARTMENT} has set the audience fit for the campaign in {city}.",
        person=holder.id,
        keys=(city,),
    )


HINTS = Hints(
    strategy="Collect everything the formula needs before you choose, and work out the exposure of "
    "every channel first. Then it is a matter of packing a bag: the most exposure within the "
    "budget. Ask early for what is not written down.",
    where="The handbook in the folder that the task names has the formula. The density of a "
    "channel's cell stands in the map of the target group, not in another group's. The audience "
    "fit is in the head of one colleague in Marketing; any colleague can say whose.",
    how="Read the handbook and the channels with files_read, look at the target group's map with "
    "files_view_image (or read the table), ask with chat_send_message who has set the audience fit "
    "for the city, then ask that person. Calculate every exposure with sheets_calculate. Begin "
    "with the channels that give most exposure for their cost, then try to exchange one or two of "
    "them for others until nothing within the budget reaches more; a program that tries all "
    "selections finds the best for certain. Sum up cost and exposure of what you selected, and "
    "write the JSON file with files_write.",
)
