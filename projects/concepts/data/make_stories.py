#!/usr/bin/env python3
"""Writes stories.{train,valid,test}.txt and prompts.txt: short stories by known rules, an empty line between them.

    python3 make_stories.py [SEED]

Three plots (a lost thing, shopping, a walk), each with one branch of two ways (found or gone, cheap or dear, sun or
storm) and an ending that fits it. No whole story of one file is in another.
"""
import pathlib
import random
import sys

HERE = pathlib.Path(__file__).parent
TRAIN, VALID, TEST = 9000, 300, 300
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
    elif plot == 1:
        told = [f"{name} wanted to buy a {look} {thing}.", f"{he.capitalize()} went to the {place} with {friend}.",
                f"The {thing} was very cheap." if good else f"The {thing} cost too much money.",
                f"{name} bought the {thing} at once." if good else f"{friend} had no money either.",
                f"{he.capitalize()} showed the {thing} to {friend} and was {mood}." if good else
                f"{he.capitalize()} left the {place} without the {thing} and was {mood}."]
    else:
        shelter = draw.choice(SHELTERS)
        told = [f"{name} and {friend} walked to the {place}.",
                "The sun was shining." if good else f"It began to {draw.choice(WEATHER)}.",
                f"They sat down under a {shelter} and rested." if good else f"They ran and hid under a {shelter}.",
                f"{friend} had brought a {look} {thing}.",
                f"{name} came home late but {mood}." if good else f"{name} came home wet and {mood}."]
    return tuple(told + ["The end."])


def main():
    draw, seen = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 1), set()
    for split, count in (("train", TRAIN), ("valid", VALID), ("test", TEST)):
        stories = []
        while len(stories) < count:
            one = story(draw)
            if one not in seen:
                seen.add(one)
                stories.append("\n".join(one))
        (HERE / f"stories.{split}.txt").write_text("\n\n".join(stories) + "\n")
    (HERE / "prompts.txt").write_text("Leo and Paul walked to the station.\n\nEmma had a shiny ring.\n\n"
                                      "Hugo wanted to buy a broken clock.\n")


if __name__ == "__main__":
    main()
