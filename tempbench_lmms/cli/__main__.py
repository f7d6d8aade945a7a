"""Lets `python -m tempbench_lmms.cli` run `tempbench`, for `torchrun` and `accelerate launch`."""

import sys


def main() -> None:
    """Runs the command; Ctrl-C ends it with one line even while it is being loaded."""
    try:
        from tempbench_lmms.cli.main import main as command

        command()
    except KeyboardInterrupt:
        print("tempbench: ended by SIGINT", file=sys.stderr)
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
