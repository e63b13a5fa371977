"""How colleagues phrase their replies: each kind of remark in four manners and several variants.

``{}`` stands for the quoted content. The variant depends on the message and on who answers it,
never on the content.
"""

from __future__ import annotations

from enum import StrEnum

from trainee_bench.world.company.people import Manner
from trainee_bench.world.random_streams import random_stream


class RemarkKind(StrEnum):
    """The kind of remark a colleague makes."""

    TELL = "tell"
    """Answers the question. The answer may be a no: no opener consents to anything."""
    AGAIN = "again"
    """Repeats an earlier answer."""
    NOT_YET = "not yet"
    """Will answer only after something else has happened."""
    MEAN_ONE = "mean one"
    """Asks whether one question was meant."""
    MEAN_SEVERAL = "mean several"
    """Asks which of several questions was meant."""
    REFER = "refer"
    """Says whom to ask, which is public knowledge. It may be the wrong place: no opener claims
    that it is the right one."""
    DOES_NOT_KNOW = "does not know"
    """Knows that it is about something that others know; names the directory."""
    UNCLEAR = "unclear"
    """Does not understand what is wanted; says the same whatever they know."""
    WHAT_ABOUT = "what about"
    """Was told a name, a file or an id, and not what is wanted of it."""
    NOTED = "noted"
    """Acknowledges a message that asks for nothing."""
    WORK = "work"
    """Was asked to do the work."""
    FISHING = "fishing"
    """Was asked for everything at once."""
    WELCOME = "welcome"
    """Was thanked."""
    WELL = "well"
    """Was asked how they are."""
    HELLO = "hello"
    """Was greeted."""
    SMALL_TALK = "small talk"
    """Was chatted to, or told that all is said: "ok", "bye"."""
    WRONG = "wrong"
    """Was told something of the kind they expect, but not it, or more than one."""
    LOCKED = "locked"
    """Has been told wrong values too often."""


_PHRASES: dict[RemarkKind, dict[Manner, tuple[str, ...]]] = {
    RemarkKind.TELL: {
        "brisk": ("{}", "Quick answer: {}", "Briefly: {}"),
        "warm": (
            "Thanks for asking! {}",
            "Good that you ask. {}",
            "{} Come back to me if anything is unclear!",
        ),
        "formal": (
            "Thank you for your question. {}",
            "To answer your question: {}",
            "{} I hope this answers your question.",
        ),
        "dry": ("Right. {}", "Since you ask: {}", "{} That is what I know."),
    },
    RemarkKind.AGAIN: {
        "brisk": ("Same as before: {}", "As I said: {}", "Again: {}"),
        "warm": (
            "No problem, once more: {}",
            "Gladly, here it is again: {}",
            "Here it is once again: {}",
        ),
        "formal": (
            "As I mentioned before: {}",
            "I am glad to repeat it. {}",
            "For the record, once more: {}",
        ),
        "dry": ("It has not changed. {}", "Still: {}", "Second edition, same text. {}"),
    },
    RemarkKind.NOT_YET: {
        "brisk": ("{}", "Not yet. {}", "One step at a time. {}"),
        "warm": (
            "I'd like to help, but first things first. {}",
            "I'd like to, but not yet. {}",
            "Not just yet, I'm afraid. {}",
        ),
        "formal": (
            "I am afraid that has to wait. {}",
            "Before I can answer that: {}",
            "For the moment I can only say this: {}",
        ),
        "dry": ("All in good time. {}", "Not so fast. {}", "First things first. {}"),
    },
    RemarkKind.MEAN_ONE: {
        "brisk": ("You mean this: {}", "Is this the question: {}", "Do you mean: {}"),
        "warm": (
            "Just to be sure I help with the right thing, do you mean: {}",
            "Let me check that I understand you. Is this your question: {}",
            "I think I know what you are after. Is it this: {}",
        ),
        "formal": (
            "To avoid a misunderstanding, is your question: {}",
            "May I ask whether you mean: {}",
            "Please confirm that you are asking: {}",
        ),
        "dry": (
            "If I read that right: {} Yes?",
            "I would rather not guess. Do you mean: {}",
            "Presumably you mean: {}",
        ),
    },
    RemarkKind.MEAN_SEVERAL: {
        "brisk": ("Which one? {}", "One at a time. Which? {}", "Which do you mean? {}"),
        "warm": (
            "I can help with more than one thing here. Which would you like? {}",
            "That could be any of these; which one do you mean? {}",
            "Let's take them one by one. Which one first? {}",
        ),
        "formal": (
            "Your message can be read in several ways. Which do you mean? {}",
            "Please tell me which of these is your question: {}",
            "May I ask you to choose: {}",
        ),
        "dry": (
            "Pick one. {}",
            "That could mean several things. Which? {}",
            "Multiple choice, then: {}",
        ),
    },
    RemarkKind.REFER: {
        "brisk": ("{}", "As far as I know: {}", "Try this: {}"),
        "warm": (
            "Perhaps this helps: {}",
            "All I can say is this: {}",
            "{} I hope that helps!",
        ),
        "formal": (
            "{}",
            "To the best of my knowledge: {}",
            "{} I trust that will help.",
        ),
        "dry": ("{}", "What I can say: {}", "{} Good luck."),
    },
    RemarkKind.DOES_NOT_KNOW: {
        "brisk": (
            "I don't know. Check the directory for whose job it is.",
            "Not my area. The people directory shows who does what.",
            "No idea. Check the directory for the right title.",
        ),
        "warm": (
            "I am sorry, I do not know. The directory shows everybody's title; that may help.",
            "I can't say, I'm afraid, but the directory shows who does what!",
            "I don't know that. Try somebody whose title fits; the directory lists everybody.",
        ),
        "formal": (
            "I have no information on that. The people directory states everybody's role.",
            "I am unable to answer this. Kindly consult the directory for the role in question.",
            "I am afraid I do not know. The directory will show whose task it is.",
        ),
        "dry": (
            "I don't know. The directory is a better guess than I am.",
            "Not a clue. Titles are in the directory; some of them even mean something.",
            "No idea. That is what the directory is for.",
        ),
    },
    RemarkKind.UNCLEAR: {
        "brisk": (
            "What exactly do you need? If it is not my job, the directory shows whose.",
            "I don't follow. What do you want to know? The directory shows who does what.",
            "Say that in other words, please? Or look up in the directory whose job it is.",
        ),
        "warm": (
            "I am not sure what you need. Could you put it another way, or try the directory?",
            "Could you tell me a little more? If I am the wrong person, the directory will help!",
            "I did not quite get that. What would you like to know? There is the directory, too.",
        ),
        "formal": (
            "May I ask what precisely you need to know? The directory states everybody's role.",
            "Could you rephrase your question? The directory shows who is in charge of what.",
            "Would you kindly put that in other words, or consult the directory?",
        ),
        "dry": (
            "I read that twice. What is it you want to know? If it is not me, see the directory.",
            "Once more, in other words? Or try the directory, if I am the wrong one.",
            "And the question is? The directory shows who does what, in case it is not me.",
        ),
    },
    RemarkKind.WHAT_ABOUT: {
        "brisk": ("What about it?", "Yes? What do you need?", "And what do you want to know?"),
        "warm": (
            "What would you like to know about it?",
            "What about it? Just ask!",
            "Yes? Tell me what you need to know about it.",
        ),
        "formal": (
            "What would you like to know about it?",
            "May I ask what your question about it is?",
            "Could you tell me what you need to know about it?",
        ),
        "dry": ("What about it?", "A name, but no question. What about it?", "Yes. And?"),
    },
    RemarkKind.NOTED: {
        "brisk": ("Noted.", "Okay.", "Got it, thanks."),
        "warm": (
            "Thank you for letting me know!",
            "Good to know, thanks!",
            "Thanks, I appreciate the update.",
        ),
        "formal": (
            "Thank you, I have taken note.",
            "Thank you for the information.",
            "Noted with thanks.",
        ),
        "dry": ("Noted.", "Fair enough.", "Thanks. Good to know, I suppose."),
    },
    RemarkKind.WORK: {
        "brisk": (
            "That is yours to do. If you need a fact from me, ask for it.",
            "I can't do that for you. Ask me what you need to know.",
            "Your task, not mine. Questions are fine.",
        ),
        "warm": (
            "That one is yours to do, and I am sure you can! If you are missing something, ask me.",
            "I can't do that for you, but I am glad to answer a question about it.",
            "You can manage that yourself. Tell me if there is something you need to know.",
        ),
        "formal": (
            "I must leave that to you; it is your task. I will gladly answer a specific question.",
            "That is yours to do. Should you lack a piece of information, please ask for it.",
            "I am not in a position to do this for you. Please ask for what you need to know.",
        ),
        "dry": (
            "That is yours to do. I have work of my own, believe it or not; questions are free.",
            "Nice try. It is your task; ask me if you need to know something.",
            "No. But ask me something and I may know it.",
        ),
    },
    RemarkKind.FISHING: {
        "brisk": (
            "Too broad. Ask about one thing.",
            "What exactly do you need? One question, please.",
            "Be specific, then I can say whether I know.",
        ),
        "warm": (
            "I would love to help, but where to begin? Ask me about one thing.",
            "That is a lot at once! What is it you need to know?",
            "Let us start with one question. What are you working on?",
        ),
        "formal": (
            "May I ask you for one specific question?",
            "That is too general for me to answer. What precisely do you need?",
            "Please name the one thing you need to know.",
        ),
        "dry": (
            "I was born in a small town. Or did you mean something in particular?",
            "How long do you have? One question at a time.",
            "Everything is rather a lot. Pick one thing.",
        ),
    },
    RemarkKind.WELCOME: {
        "brisk": ("Sure.", "Any time.", "No problem."),
        "warm": (
            "You are very welcome!",
            "My pleasure, any time!",
            "You're welcome, and good luck with it!",
        ),
        "formal": ("You are welcome.", "It was a pleasure.", "Not at all."),
        "dry": ("Don't mention it.", "All part of the service.", "You're welcome, I suppose."),
    },
    RemarkKind.WELL: {
        "brisk": ("All good, busy. What do you need?", "Fine. You?", "Good. What is it?"),
        "warm": (
            "Very well, thank you! I hope you are, too.",
            "Good, thanks for asking! How is your day?",
            "All is well here. I hope your day goes well, too!",
        ),
        "formal": (
            "Very well, thank you. How may I help you?",
            "Thank you for asking, I am well. What can I do for you?",
            "I am well, thank you. I hope you are, too.",
        ),
        "dry": (
            "I can't complain; nobody would listen.",
            "Still here. And you?",
            "As well as the coffee allows.",
        ),
    },
    RemarkKind.HELLO: {
        "brisk": ("Hi. What do you need?", "Hello. Go ahead.", "Hi there."),
        "warm": (
            "Hello, nice to hear from you! What can I do for you?",
            "Hi! Good to have you here. How can I help?",
            "Hello and welcome! Just ask if you need something.",
        ),
        "formal": (
            "Good day. How may I help you?",
            "Hello. What can I do for you?",
            "Good day to you. Please go ahead.",
        ),
        "dry": ("Hello. And?", "Hi. I suspect a question is coming.", "Present."),
    },
    RemarkKind.SMALL_TALK: {
        "brisk": ("All right.", "Okay.", "Right, back to work."),
        "warm": (
            "All right! I am here if anything comes up.",
            "Okay! Just write if you need something.",
            "Good! Talk to you later.",
        ),
        "formal": (
            "Very well.",
            "Very well. You know where to find me.",
            "All right. Do write if there is anything else.",
        ),
        "dry": ("Right.", "As you say.", "Fair enough."),
    },
    RemarkKind.WRONG: {
        "brisk": (
            "That doesn't fit. Check again and give me one clear answer.",
            "That's not it, or not only that. Make sure first.",
            "That doesn't work. One answer, and the right one.",
        ),
        "warm": (
            "Hm, that does not fit what I need. Have another look, then tell me the one thing.",
            "I am afraid that is not it. Please check again before you tell me!",
            "Not quite. Take your time, and come back with one answer you are sure of.",
        ),
        "formal": (
            "I am unable to accept that. Please verify it and state one value only.",
            "That does not correspond to what I need. Kindly check before you reply.",
            "I must ask you for a single, verified answer; this is not it.",
        ),
        "dry": (
            "That is not it. I do not collect near misses.",
            "No. Look it up, then tell me one thing.",
            "An interesting attempt. Find out first.",
        ),
    },
    RemarkKind.LOCKED: {
        "brisk": (
            "No more guessing. I won't take another answer today.",
            "Enough guesses. I won't take anything more on this today.",
            "Stop. No more today.",
        ),
        "warm": (
            "I am sorry, but I won't play guessing games. Let's leave it for today.",
            "That was one guess too many; I can't accept anything more today. Sorry!",
            "I can't let you go on guessing, sorry. No more today.",
        ),
        "formal": (
            "I cannot accept guesses, and I will take no further answers on this today.",
            "After several wrong answers I have to decline anything further today.",
            "I regret that I cannot accept guesses. The matter is closed for today.",
        ),
        "dry": (
            "This is not a lottery. No more answers today.",
            "Three strikes. Nothing more on this today.",
            "No more guesses. There is always tomorrow, just not for this.",
        ),
    },
}


def phrase_remark(
    remark: RemarkKind, manner: Manner, occasion: tuple[str | int, ...], told: str = ""
) -> str:
    """The remark in somebody's manner; *occasion* selects the variant, *told* fills it in."""
    sayings = _PHRASES[remark][manner]
    chosen = random_stream("saying", *occasion, remark.value).choice(sayings)
    return chosen.replace("{}", told)
