"""TempCompass in contrast groups: questions that count only together with those on the twin clip."""
