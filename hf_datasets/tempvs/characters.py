"""The characters of the two cartoon sources: their names, and how they look, in the project's own words."""

import re
from collections.abc import Iterable, Mapping

LOOKS: Mapping[str, Mapping[str, str]] = {
    "flintstones": {
        "wilma": "Wilma has red hair in a bun and wears a white dress with a torn hem and a stone necklace.",
        "fred": "Fred is a stout, black-haired man in an orange tunic with black spots and a blue tie.",
        "betty": "Betty has short black hair with a blue bow and wears a blue dress.",
        "barney": "Barney is a short man with blond hair in a brown tunic laced at the neck.",
        "dino": "Dino is a purple dinosaur with black spots and a blue collar.",
        "pebbles": "Pebbles is a small girl with red hair tied up by a white bone.",
        "mr slate": "Mr Slate is a tall, almost bald man with glasses and a tie.",
        "baby puss": "Baby Puss is a big yellow cat with black spots and sabre teeth.",
        "hoppy": "Hoppy is a green, kangaroo-like animal with spots and spikes along its back.",
    },
    "pororo": {
        "pororo": "Pororo is a small penguin in a tan aviator's helmet and orange goggles.",
        "eddy": "Eddy is an orange fox with long ears.",
        "loopy": "Loopy is a pink beaver.",
        "crong": "Crong is a small green dinosaur.",
        "harry": "Harry is a small red bird with a purple bow tie.",
        "petty": "Petty is a blue penguin with a white face.",
        "pipi": "Pipi is a purple alien with a yellow face.",
        "popo": "Popo is a blue alien with a yellow face.",
        "poby": "Poby is a large white polar bear.",
        "rody": "Rody is a yellow robot with pointed ears.",
        "tongtong": "Tongtong is an orange dragon.",
        "toto": "Toto is a brown bear with a hat.",
        "tutu": "Tutu is a red car with eyes for headlights.",
    },
}


def described(source: str, texts: Iterable[str]) -> str:
    """Returns how the characters in `texts` look; "" if they name none.

    In the order of the table; the official generator's order changes from run to run.
    """
    described = " ".join(texts).lower()
    return " ".join(look for name, look in LOOKS.get(source, {}).items() if name in described)


def capitalise(source: str, text: str) -> str:
    """Returns `text` with the source's characters written with a capital."""
    names = "|".join(re.escape(name) for name in LOOKS[source])
    return re.sub(rf"\b(?:{names})\b", lambda match: match.group().title(), text, flags=re.IGNORECASE)


def opens_with_name(text: str) -> bool:
    """Returns whether `text` opens with the name of a character of either cartoon."""
    opening = text.lower()
    return any(re.match(rf"{re.escape(name)}\b", opening) for looks in LOOKS.values() for name in looks)
