# One GPU: docker build -t tempbench . && docker run --rm --gpus 1 -v "$PWD/runs:/runs" tempbench demo
# Data goes to /runs/data and models to /runs/huggingface. The folder must be writable for user 1000.
FROM python:3.11-slim

# Triton compiles when a model is first used; OpenCV of the harness loads libGL and glib.
RUN apt-get update \
    && apt-get install --yes --no-install-recommends gcc libc6-dev libgl1 libglib2.0-0 \
    && rm -rf /var/lib/apt/lists/* \
    && useradd --create-home --uid 1000 tempbench \
    && install --directory --owner tempbench /runs

COPY . /source
RUN pip install --no-cache-dir --constraint /source/.github/constraints.txt "/source[run,metrics]" && rm -rf /source

USER tempbench
WORKDIR /runs
ENV TEMPBENCH_DATA=/runs/data HF_HOME=/runs/huggingface
ENTRYPOINT ["tempbench"]
