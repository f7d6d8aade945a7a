"""What to do about a fault: by its name or the line of the check, and for single runners."""

from collections.abc import Mapping, Sequence

_TIMES = (
    "take a runner that tells times (qwen3_vl, or vllm or async_openai with is_qwen3_vl=True), or a task "
    "that writes the times between frames (rextime_frames)"
)

_FEWER = "a runner that asks for more frames than a video has: ask for no more than the shortest one has"
_AS_IMAGES = "tasks that show frames as images (rextime_frames, coherence_qa)"

_FIRST_VIDEO = "this runner takes the number of frames of a whole batch from its first video"

_NO_TIMES = "this family is told no times; take rextime_frames"
_NEEDS_TORCHCODEC = "pip install torchcodec, which needs FFmpeg's libraries"
_WITHOUT_IMAGES = f"this runner fails where there is no image; --force_simple, or {_AS_IMAGES}"

_ANY: dict[str, str] = {
    "no times": _TIMES,
    "wrong times": _TIMES,
    "times of another video": f"--batch_size 1; or {_TIMES}",
    "images dropped": "raise the runner's limit (limit_mm_per_prompt, max_images), or take another runner",
    "images joined": "take tasks with one strip (tempvs, not tempvs_separate), or another runner",
    "images shrunk": "raise max_pixels, max_patches or the like in --model-args",
    "frames shrunk": "raise max_pixels or the like in --model-args",
    "prompt cut": "raise the runner's length (max_length, max_model_len) in --model-args",
    "options cut": "raise the runner's length (max_length, max_model_len) in --model-args",
    "system prompt added": "empty it, or say that it is wanted, with system_prompt= in --model-args",
    "text added": "where it is a system prompt: empty it, or say that it is wanted, with system_prompt=",
    "text and images apart": "take a chat runner (without --force_simple) or tasks with one strip",
    "part of a video": "raise the number of frames (max_num_frames, num_frames, max_frame_num)",
    "video as one frame": "raise the number of frames (max_num_frames, num_frames, max_frame_num)",
    "max_new_tokens ignored": "set max_new_tokens in --model-args, and in the server",
    "sampling": "set temperature=0 in the server, or do_sample=False in the model's generation_config.json",
    "batch leaks": "--batch_size 1",
    "batch fails": "--batch_size 1",
    "another reply in a batch": "--batch_size 1",
    "empty replies": "look at what the model or server says: a template or stop word that ends each reply at "
    "once, or tokens that are all spent on thinking",
    "short video: request failed": f"{_FEWER} (max_num_frames, num_frames), or for frames a second (fps)",
    "frames as a video: request failed": f"{_FEWER} (max_num_frames, num_frames)",
    "mkv video: video dropped": "turn the videos into .mp4, or take a chat runner (without --force_simple)",
    "video dropped": f"take {_AS_IMAGES}",
}

_OF_RUNNERS: dict[str, dict[str, str]] = {
    "qwen2_5_vl": {
        "batch leaks": f"--batch_size 1: {_FIRST_VIDEO}",
        "batch fails": f"--batch_size 1: {_FIRST_VIDEO}",
    },
    "gemini": {
        "video dropped": "give frames as images (coherence_qa, not coherence_qa_4f_video)",
    },
    "qwen3_vl": {
        "short video: request failed": "fps=2 in --model-args, in place of a number of frames",
    },
    "vllm": {
        "no times": "is_qwen3_vl=True in --model-args, for Qwen3-VL; or rextime_frames",
        "request failed": "in --model-args, nframes no more than the shortest video has, or max_model_len",
        "max_new_tokens ignored": "max_new_tokens=1 in --model-args: it is the least, not the most",
    },
    "async_openai": {"no times": "is_qwen3_vl=True in --model-args, for Qwen3-VL; or rextime_frames"},
    "internvl_hf": {
        "no times": _NO_TIMES,
        "video: request failed": _NEEDS_TORCHCODEC,
        "mkv video: request failed": _NEEDS_TORCHCODEC,
        "short video: request failed": f"{_NEEDS_TORCHCODEC}; num_frames of no more than the shortest has",
        "frames as a video: request failed": "num_frames=4 for lists of 4 frames, and so on",
    },
    "llava_hf": {
        "no times": _NO_TIMES,
        "text and images apart": "this template puts all images first; take tasks with one strip",
        "video: request failed": _WITHOUT_IMAGES,
        "short video: request failed": _WITHOUT_IMAGES,
        "mkv video: request failed": _WITHOUT_IMAGES,
        "frames as a video: request failed": f"this runner fails where there is no image; take {_AS_IMAGES}",
    },
}


# Words of an error, and what to do about it.
_NO_GPU = "there is no GPU here: add device=cpu,device_map=cpu to --model-args"
_OF_ERRORS = {
    "Found no NVIDIA driver": _NO_GPU,
    "No CUDA GPUs are available": _NO_GPU,
    "not compiled with CUDA": _NO_GPU,
    "'str' object has no attribute 'choices'": "the server's answer is no chat completion; is base_url "
    "right, with /v1?",
}
_ALL_FAIL = (
    "every request failed: with a server, look at base_url, the name of the model, timeout and key; else at "
    "--model-args"
)


def of_error(error: str) -> str:
    """Returns what to do about an error of a runner; empty where that is not known."""
    return next((hint for words, hint in _OF_ERRORS.items() if words in error), "")


def hints_where_all_fail(errors: Sequence[str]) -> Mapping[str, str]:
    """Returns what to do where no request succeeded: what a video or a batch lacks is not the reason."""
    return {"asked": next(filter(None, map(of_error, errors)), _ALL_FAIL)}


def hints_for(model: str) -> Mapping[str, str]:
    """Returns what to do about faults with a runner of the harness, by the fault's name."""
    return _ANY | _OF_RUNNERS.get(model.removesuffix("_chat"), {})
