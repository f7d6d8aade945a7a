"""Small sources, models and a server, for the tests of the curation pipeline."""

import csv
import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from PIL import Image


def picture(
    path: Path, colour: tuple[int, int, int] = (200, 30, 30), size: tuple[int, int] = (16, 12)
) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    Image.new("RGB", size, colour).save(path)


def write_json(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value))


# Six clips of one episode and one of the next.
CLIPS = [f"s_01_e_02_shot_00{i}_00{i}9" for i in range(6)] + ["s_01_e_03_shot_000_0009"]


def vist_sentence(story: int, album: int, place: int, text: str) -> list[dict[str, object]]:
    return [
        {
            "story_id": str(story),
            "album_id": str(album),
            "photo_flickr_id": f"{album}{place}",
            "original_text": text,
            "text": text.lower(),
            "worker_arranged_photo_order": place,
        }
    ]


def write_vist(root: Path, stories: dict[tuple[int, int], list[str]]) -> None:
    """Writes stories {(story, album): captions} as VIST's training split, with their photographs."""
    annotations = [
        vist_sentence(story, album, place, text)
        for (story, album), captions in stories.items()
        for place, text in enumerate(captions)
    ]
    for split in ("train", "val", "test"):
        found = annotations if split == "train" else []
        write_json(root / "annotations" / "sis" / f"{split}.story-in-sequence.json", {"annotations": found})
    for number, (_, album) in enumerate(stories):
        for place in range(5):
            picture(root / "images" / "train" / f"{album}{place}.jpg", (40 * place, 20 * number % 256, 90))


def write_vwp(root: Path, stories: list[list[str]]) -> None:
    """Writes stories as VWP's training split; each has one image more than it has captions."""
    fields = ["scene_full_id", *(f"link{i}" for i in range(10)), *(f"text{i}" for i in range(10))]
    for split in ("train", "val"):
        with (root / f"vwp_v2.1_{split}.csv").open("w", newline="") as stream:
            writer = csv.DictWriter(stream, fields)
            writer.writeheader()
            for number, captions in enumerate(stories if split == "train" else []):
                row = {"scene_full_id": f"scene{number}"}
                for i, text in enumerate([*captions, ""][:10]):
                    image = f"beta0/tt{number}/shot_{i}_img.jpg"
                    picture(root / image, (20 * i, 200, 10 * number))
                    row |= {f"link{i}": f"https://example.org/xhong/VST/{image}", f"text{i}": text}
                writer.writerow(row)


def byte_tokenizer(folder: Path) -> None:
    """Writes a tokenizer with one token a byte, and a beginning and an end."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, processors
    from transformers import PreTrainedTokenizerFast

    alphabet = sorted(pre_tokenizers.ByteLevel.alphabet())
    vocabulary = {token: i for i, token in enumerate(["<s>", "</s>", *alphabet])}
    tokenizer = Tokenizer(models.BPE(vocab=vocabulary, merges=[]))
    tokenizer.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=False)
    tokenizer.decoder = decoders.ByteLevel()
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", special_tokens=[("<s>", 0), ("</s>", 1)]
    )
    PreTrainedTokenizerFast(
        tokenizer_object=tokenizer, bos_token="<s>", eos_token="</s>", pad_token="</s>"
    ).save_pretrained(folder)


def tiny_detr(folder: Path, label: str) -> Path:
    import torch
    from transformers import DetrConfig, DetrForObjectDetection, DetrImageProcessor, ResNetConfig

    backbone = ResNetConfig(
        embedding_size=8, hidden_sizes=[8, 8], depths=[1, 1], layer_type="basic", out_features=["stage2"]
    )
    torch.manual_seed(0)
    DetrForObjectDetection(
        DetrConfig(
            use_timm_backbone=False,
            use_pretrained_backbone=False,
            backbone=None,
            backbone_config=backbone,
            d_model=16,
            encoder_layers=1,
            decoder_layers=1,
            encoder_attention_heads=2,
            decoder_attention_heads=2,
            encoder_ffn_dim=16,
            decoder_ffn_dim=16,
            num_queries=5,
            id2label={0: "N/A", 1: label},
            label2id={"N/A": 0, label: 1},
        )
    ).save_pretrained(folder)
    DetrImageProcessor(size={"shortest_edge": 32, "longest_edge": 64}).save_pretrained(folder)
    return folder


class Server:
    """Answers each caption with an event in quotation marks, "nothing" with NO_EVENT, "refuse" with 400."""

    def __init__(self) -> None:
        self.requests: list[dict[str, Any]] = []
        self.keys: set[str] = set()
        self.refuse = True
        self.most_at_once = self._at_once = 0
        lock = threading.Lock()
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                with lock:
                    outer.requests.append(request)
                    outer.keys.add(self.headers["Authorization"])
                    outer._at_once += 1
                    outer.most_at_once = max(outer.most_at_once, outer._at_once)
                threading.Event().wait(0.02)
                with lock:
                    outer._at_once -= 1
                caption = request["messages"][0]["content"].split(": ", 1)[1].split(" Extract a single")[0]
                status, body = 200, f'"{caption}"\n'
                if "nothing" in caption:
                    body = "NO_EVENT"
                if "refuse" in caption and outer.refuse:
                    status = 400
                message = {"role": "assistant", "content": body}
                answer: dict[str, Any] = {
                    "id": "1",
                    "object": "chat.completion",
                    "created": 0,
                    "model": "m",
                    "choices": [{"index": 0, "message": message, "finish_reason": "stop"}],
                }
                if status != 200:
                    answer = {"error": {"message": "not this one"}}
                text = json.dumps(answer).encode()
                self.send_response(status)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(text)))
                self.end_headers()
                self.wfile.write(text)

            def log_message(self, *_: Any) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_address[1]}/v1"
        threading.Thread(target=self.http.serve_forever, args=(0.05,), daemon=True).start()
