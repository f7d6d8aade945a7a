"""The rules of section 3.2 and appendix A, with numbers derived by hand."""

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hf_datasets.tempvs import characters, filters
from hf_datasets.tempvs.sources import Story


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("He LOVED the cake.", True),
        ("The boys looked away.", True),
        # A word of the list wherever it stands: the official rule does not ask what kind of word it is.
        ("She ran like the wind.", True),
        ("The box costed much.", True),
        ("They exist.", False),
        ("A lovely day in the sea.", False),
        ("Fred runs.", False),
        # The table lists "forgot" for both past forms.
        ("Forgotten toys lay there.", False),
    ],
)
def test_stative_verbs(caption: str, expected: bool) -> None:
    assert filters.stative_verb(caption) is expected


def test_table_7_is_complete(shared: Path) -> None:
    lines = (shared / "papers" / "000_1f4afa32a1a354c5.txt").read_text().splitlines()
    start = next(i for i, line in enumerate(lines) if line.startswith("Base Form Present Participle"))
    end = next(i for i, line in enumerate(lines) if line.startswith("Table 7:"))
    words = {word for line in lines[start + 1 : end] for word in line.split()}
    assert words == filters.STATIVE_VERBS


@pytest.mark.parametrize(
    ("caption", "expected"),
    [
        ("It rains.", True),
        (" she ran.", True),
        ("They left.", True),
        ("He's here.", True),
        ("Its tail wags.", False),
        ("We played on the swings.", False),
        ("Fred met him; he ran.", False),
        ("Theyre here.", False),
    ],
)
def test_starting_pronouns(caption: str, expected: bool) -> None:
    assert filters.starts_with_pronoun(caption) is expected


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        ((0.97, 0.97, 0.95), False),
        # "Dissimilar if precision and recall are both below 0.98, and F1 is below 0.96" (appendix A.2).
        ((0.98, 0.50, 0.66), True),
        ((0.50, 0.98, 0.66), True),
        ((0.97, 0.97, 0.96), True),
    ],
)
def test_similar_captions_in_flintstones(scores: tuple[float, float, float], expected: bool) -> None:
    assert filters.similar_captions(*scores, filters.THRESHOLDS["paper"]["flintstones"]) is expected


def test_the_scripts_have_a_joint_threshold_of_their_own() -> None:
    limits = filters.THRESHOLDS["scripts"]["vist"]
    assert filters.similar_captions(0.91, 0.91, 0.91, limits)
    assert not filters.similar_captions(0.91, 0.89, 0.90, limits)


def test_similar_images() -> None:
    # Angles of 0, 60 and 90 degrees: the cosines are 0.5, 0 and 0.866.
    angles = np.deg2rad([0, 60, 90])
    vectors = np.stack([np.cos(angles), np.sin(angles)], 1)
    assert filters.similar_images(vectors, 0.86)
    assert not filters.similar_images(vectors, 0.87)


@pytest.mark.parametrize(
    ("scores", "expected"),
    [
        # Three of five are 60 %.
        ([0.9, 0.9, 0.95, 0.1, 0.1], True),
        ([0.9, 0.9, 0.89, 0.1, 0.1], False),
        # Six images: 3.6, so four.
        ([0.9] * 3 + [0.0] * 3, False),
        ([0.9] * 4 + [0.0] * 2, True),
        ([0.9, 0.9, float("nan"), 0.1, 0.1], False),
    ],
)
def test_persons(scores: list[float], expected: bool) -> None:
    assert filters.enough_persons(scores, 0.9, 0.6) is expected


def test_unambiguous_groups_by_hand() -> None:
    # Image i against text j. 0 and 1: own .9 and .8, across .3 and .2: apart. 0 and 2: across .9 is not below
    # the own .9. 1 and 2: own .8 and .6, across .5 and .4: apart; by more than .1, not by more than .15.
    similarity = np.array([[0.9, 0.3, 0.9], [0.2, 0.8, 0.5], [0.1, 0.4, 0.6]])
    assert filters.unambiguous_groups(similarity) == ([(0, 1), (1, 2)], [])
    assert filters.unambiguous_groups(similarity, 0.15) == ([(0, 1)], [])
    assert filters.unambiguous_groups(np.eye(3)) == ([(0, 1), (0, 2), (1, 2)], [(0, 1, 2)])


@given(st.lists(st.lists(st.integers(0, 6), min_size=4, max_size=4), min_size=4, max_size=4))
def test_unambiguous_groups_as_footnote_5_has_it(numbers: list[list[int]]) -> None:
    s = np.array(numbers) / 7
    pairs, triples = filters.unambiguous_groups(s)

    def holds(group: tuple[int, ...]) -> bool:
        return all(s[i, i] > s[i, j] and s[i, i] > s[j, i] for i, j in itertools.permutations(group, 2))

    assert pairs == [group for group in itertools.combinations(range(4), 2) if holds(group)]
    assert triples == [group for group in itertools.combinations(range(4), 3) if holds(group)]


def story(source: str, name: str, group: str, caption: str) -> Story:
    return Story(source, name, name, group, ("a.png",), (caption,))


def test_one_story_of_each_sequence() -> None:
    stories = [
        story("vwp", "long", "g2", "One two three."),
        story("vwp", "short", "g2", "One two."),
        story("vwp", "tie", "g2", "Two one."),
        story("vwp", "alone", "g1", "One."),
        story("vist", "short", "g2", "One."),
        story("vist", "long", "g2", "One two."),
    ]
    kept = [(s.source, s.story_id) for s in filters.one_of_each_sequence(stories)]
    # Of VIST the longest, else the shortest; sorted by sequence; of two as short the first.
    assert kept == [("vist", "long"), ("vwp", "alone"), ("vwp", "short")]


def test_names() -> None:
    is_name = filters.name_test(
        ["Then John ran.", "The man met John. People in Paris ran.", "A may came. In May it ends."]
    )
    assert is_name("John ran.")
    assert is_name("fred ran.")
    assert is_name("Mr Slate's car stopped.")
    assert not is_name("The man ran.")
    # Never seen inside a sentence.
    assert not is_name("People ran.")
    # Once with a capital, once without.
    assert not is_name("May ended.")
    assert not is_name("...")


def test_characters() -> None:
    # In the order of the table, not of the text; the other sources have nobody to describe.
    loopy, pororo = (characters.LOOKS["pororo"][name] for name in ("loopy", "pororo"))
    assert characters.described("pororo", ["Pororo ran.", "He met LOOPY."]) == f"{pororo} {loopy}"
    assert characters.described("pororo", ["A fox ran."]) == ""
    assert characters.described("vist", ["Pororo ran."]) == ""
    assert characters.capitalise("flintstones", "fred and mr slate's dino") == "Fred and Mr Slate's Dino"
