"""The answers of MATEO: three Yes/No/I don't know answers, or the name of a class.

Source: section 3 (a class is predicted by Yes to its question and No to both others; every other combination
is the class Other) and appendix A.2 (the forms).
"""

from tempbench_lmms.mateo.card import CLASSES
from tempbench_lmms.parsing import reader
from tempbench_lmms.parsing.expected import Reading, Relation

OTHER = "other"
FORMS = ("triple", "cot", "reflection")


def read(reply: str, form: str, prompt: str | None = None, at_limit: bool = False) -> Reading[str]:
    """Reads the class that a reply states, in the form of the prompt or in another, as `reader.read` does.

    `form` is one of `FORMS`. In a `reflection` the final answer counts; where there is none, the answer
    before it, if the reflection confirms it. The value is one of `CLASSES`, or "other" for three answers
    that make no class.

    >>> read("Step A must be executed before Step B.", "cot").value
    'before'
    >>> read("Q1: The answer is: No. Q2: The answer is: No. Q3: The answer is: Yes.", "triple").value
    'independent'
    """
    return reader.read(reply, Relation(form, CLASSES), prompt, at_limit)
