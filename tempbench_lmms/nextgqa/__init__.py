"""NExT-GQA: questions about videos that count only where the moment of the answer is shown, too."""
