"""NExT-GQA: video questions that count only if the time span of the answer is right too."""
