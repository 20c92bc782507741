#!/usr/bin/env python3
"""Writes stories.{train,valid,test}.txt and prompts.txt: short stories by known rules, an empty line between them;
and tasks.{train,valid,test}.txt and tasks.prompts.txt: such stories to be summed up, and summaries to be told as stories.

    python3 make_stories.py [SEED]

Three plots (a lost thing, shopping, a walk), each with one branch of two ways (found or gone, cheap or dear, sun or
storm) and an ending that fits it. No whole story of one file is in another. A task is an instruction, its text, the line
"Answer:", the answer and "End of response.".
"""
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).parent
TRAIN, VALID, TEST = 9000, 300, 300
TASKS = 5000, 200, 200
MEN = "Tom Ben Max Leo Sam Paul Karl Hugo Ivan Omar".split()
WOMEN = "Anna Lily Emma Rosa Nina Clara Ida Ella Maria Sofia".split()
LOOKS = "red old shiny tiny golden blue broken heavy little green".split()
THINGS = "kite ball hat lamp watch book drum boat coat ring bell clock violin bicycle umbrella teapot".split()
PLACES = "park forest market harbour garden station library castle village school".split()
DAYS = "morning evening Monday Friday day summer winter night".split()
WHERE = ["everywhere", "behind the wall", "under the table", "near the river", "in every corner"]
HAPPY, SAD = "happy glad cheerful delighted".split(), "sad angry tired gloomy".split()
WEATHER, SHELTERS = "rain snow storm thunder".split(), "tree bridge roof".split()


def story(draw):
    """Its sentences, and one that sums them up."""
    name = draw.choice(MEN + WOMEN)
    he, his, him = ("he", "his", "him") if name in MEN else ("she", "her", "her")
    friend = draw.choice([one for one in MEN + WOMEN if one != name])
    look, thing, place, good = draw.choice(LOOKS), draw.choice(THINGS), draw.choice(PLACES), draw.random() < 0.5
    mood, plot = draw.choice(HAPPY if good else SAD), draw.randrange(3)
    if plot == 0:
        told = [draw.choice([f"{name} had a {look} {thing}.", f"{name} was very proud of {his} {look} {thing}."]),
                draw.choice([f"One {draw.choice(DAYS)} {he} lost the {thing} in the {place}.",
                             f"One {draw.choice(DAYS)} the {thing} disappeared in the {place}."]),
                draw.choice([f"{he.capitalize()} asked {friend} to help.", f"{friend} came to help {him}."]),
                f"They looked {draw.choice(WHERE)} " + (f"and found the {thing}." if good else f"but the {thing} was gone."),
                f"{name} was {mood} and " + (f"thanked {friend}." if good else f"{friend} comforted {him}.")]
        summary = f"{name} lost a {thing}, and {friend} helped to find it." if good else f"{name} lost a {thing} for ever."
    elif plot == 1:
        told = [f"{name} wanted to buy a {look} {thing}.", f"{he.capitalize()} went to the {place} with {friend}.",
                f"The {thing} was very cheap." if good else f"The {thing} cost too much money.",
                f"{name} bought the {thing} at once." if good else f"{friend} had no money either.",
                f"{he.capitalize()} showed the {thing} to {friend} and was {mood}." if good else
                f"{he.capitalize()} left the {place} without the {thing} and was {mood}."]
        summary = f"{name} bought a {thing} in the {place}." if good else f"{name} could not buy a {thing}."
    else:
        shelter = draw.choice(SHELTERS)
        told = [f"{name} and {friend} walked to the {place}.",
                "The sun was shining." if good else f"It began to {draw.choice(WEATHER)}.",
                f"They sat down under a {shelter} and rested." if good else f"They ran and hid under a {shelter}.",
                f"{friend} had brought a {look} {thing}.",
                f"{name} came home late but {mood}." if good else f"{name} came home wet and {mood}."]
        summary = f"{name} and {friend} had a walk in the sun." if good else f"{name} and {friend} had a walk in bad weather."
    return tuple(told + ["The end."]), summary


def task(draw):
    told, summary = story(draw)
    text = "\n".join(told[:-1])
    asked = [("Sum up this story.", text, summary), ("Tell this as a story.", summary, text)][draw.randrange(2)]
    return "{}\n{}\nAnswer:\n{}\nEnd of response.".format(*asked)


def write(name, counts, make, draw):
    """No text of one file is in another."""
    seen = set()
    for split, count in zip(("train", "valid", "test"), counts):
        texts = []
        while len(texts) < count:
            one = make(draw)
            if one not in seen:
                seen.add(one)
                texts.append(one)
        (HERE / f"{name}.{split}.txt").write_text("\n\n".join(texts) + "\n")


def main():
    seed = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    write("stories", (TRAIN, VALID, TEST), lambda draw: "\n".join(story(draw)[0]), random.Random(seed))
    write("tasks", TASKS, task, random.Random(seed + 1))
    (HERE / "tasks.prompts.txt").write_text(
        "Tell this as a story.\nEmma lost a ring for ever.\nAnswer:\n\n"
        "Tell this as a story.\nLeo and Paul had a walk in the sun.\nAnswer:\n\n"
        "Sum up this story.\nHugo wanted to buy a broken clock.\nHe went to the market with Anna.\n"
        "The clock was very cheap.\nHugo bought the clock at once.\nHe showed the clock to Anna and was happy.\nAnswer:\n")
    (HERE / "prompts.txt").write_text("Leo and Paul walked to the station.\n\nEmma had a shiny ring.\n\n"
                                      "Hugo wanted to buy a broken clock.\n")


if __name__ == "__main__":
    main()
