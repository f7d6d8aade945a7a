"""An example for the help of every command."""

import shlex
from collections.abc import Sequence
from typing import Any

EXAMPLES = {
    "answer": "tempvs_mt1_two_mini --name anna -o answers",
    "build coherence": "--references --model gpt-4o",
    "build tempvs": "work --flintstones FlintstonesSV",
    "check-model": "--model qwen2_5_vl --model-args pretrained=Qwen/Qwen2.5-VL-3B-Instruct --tasks rextime",
    "compare": "logs/a logs/b --metrics accuracy",
    "cut rextime": "--videos qvhighlights_videos -o clips",
    "demo": "-o tempbench_demo",
    "import": "replies answers.jsonl --task tempvs_mt1_two -o logs/model --model my-model",
    "plan": "--tasks tempvs_mini --speed 2",
    "prepare coherence": "--source TOMATO",
    "prepare mateo": "--source MATEO --splits test",
    "prepare rextime": "--anet-dir activitynet --qvh-dir qvhighlights",
    "prepare tempvs": "--source TempVS",
    "prepare timepercept": "--sitscc SITSCC",
    "push": "tempvs --repo my-org/tempvs --private --dry-run",
    "read": '--task tempvs_mt1_two_mini --doc 3 "The answer is True."',
    "report": "small=logs/qwen_3b large=logs/qwen_7b -o report.html",
    "reread": "logs/a --reader qwen3 --base-url http://localhost:8000/v1",
    "rescore": "logs/a --reparse --items questions.csv",
    "run": "--model tempbench_chance --tasks tempvs_mini -o logs/chance --limit 8 --batch_size 4",
    "score coherence": "--predictions replies.jsonl --task coherence_qa_8f --mini",
    "score mateo": "--predictions replies.jsonl --task mateo_both_cot --mini",
    "score nextgqa": "--predictions results --data NExT-GQA",
    "score rextime": "--predictions predictions.jsonl --data rextime_val.jsonl",
    "score tempvs": "--predictions predictions/combined/Qwen2-VL-7B-Instruct",
    "score timeblind": "--predictions results.json --data TimeBlind",
    "score timepercept": "--predictions replies.jsonl --mini",
    "show": "tempvs_mt1_two_mini --doc 3 -o page.html",
    "stats rextime": "--mini",
    "submit hub": "logs/a --model my-org/my-model -o eval_results",
    "table": "tempvs 2 logs/a --format md",
    "tasks": "tempvs --all",
    "verify": "tempvs --mini",
}
"""What follows a command; of one that is not here, the options that it must have."""


def example(command: str, params: Sequence[Any]) -> str:
    """Returns an example of a command, as a line for its help."""
    return " ".join(filter(None, ("Example: tempbench", command, EXAMPLES.get(command) or _least(params))))


def _least(params: Sequence[Any]) -> str:
    words = []
    for one in params:
        if one.required:
            options = [option for option in one.opts if option.startswith("-")][-1:]
            words += [*options, str(one.name).strip("_").upper()]
    return shlex.join(words)
