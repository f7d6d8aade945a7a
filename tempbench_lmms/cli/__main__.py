"""`python -m tempbench_lmms.cli`, for `torchrun` and `accelerate launch`."""

from tempbench_lmms.cli.main import main

main()
