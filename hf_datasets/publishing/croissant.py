"""Croissant metadata (croissant.json) with the fields of responsible AI, checked by `mlcroissant`."""

import json
from datetime import datetime, timezone
from typing import Any

from tempbench_lmms import __version__, benchmarks
from tempbench_lmms.data.roots import MANIFEST
from tempbench_lmms.data.terminal import one_line
from tempbench_lmms.errors import TempbenchError

from .card import shown_name
from .contents import Contents, Split, columns_of
from .facts import Facts
from .terms import Terms

_HUB = "https://huggingface.co/datasets/"
_CROISSANT = """citeAs column equivalentProperty extract field fileObject fileProperty fileSet format includes
    isLiveDataset jsonPath key md5 parentField path recordSet references regex repeated replace samplingRate
    separator source subField transform"""
_CONTEXT = {
    "@language": "en",
    "@vocab": "https://schema.org/",
    "cr": "http://mlcommons.org/croissant/",
    "dct": "http://purl.org/dc/terms/",
    "rai": "http://mlcommons.org/croissant/RAI/",
    "sc": "https://schema.org/",
    "conformsTo": "dct:conformsTo",
    "data": {"@id": "cr:data", "@type": "@json"},
    "dataType": {"@id": "cr:dataType", "@type": "@vocab"},
    "examples": {"@id": "cr:examples", "@type": "@json"},
    **{name: f"cr:{name}" for name in _CROISSANT.split()},
}
_TYPES = {
    "string": "sc:Text",
    "bool": "sc:Boolean",
    "double": "sc:Float",
    "int32": "sc:Integer",
    "int64": "sc:Integer",
}


def croissant(found: Contents, facts: Facts, terms: Terms, repo: str) -> str:
    """Returns the text of croissant.json."""
    card = benchmarks.card(found.benchmark)
    licences = sorted({source.licence for source in terms.sources})
    value = {
        "@context": _CONTEXT,
        "@type": "sc:Dataset",
        "conformsTo": ["http://mlcommons.org/croissant/1.0", "http://mlcommons.org/croissant/RAI/1.0"],
        "name": repo.rpartition("/")[2],
        "description": facts.summary,
        "url": f"{_HUB}{repo}",
        "license": licences[0] if len(licences) == 1 else licences,
        "citeAs": card.bibtex.strip(),
        "version": f"{__version__.split('+')[0].split('.dev')[0]}",
        "datePublished": _day(found),
        "creator": {"@type": "sc:Organization", "name": repo.partition("/")[0]},
        "inLanguage": list(facts.languages),
        "keywords": list(facts.tags),
        **_responsible(facts),
        "distribution": _distribution(found, repo),
        "recordSet": [_records(found, name, split) for name, all_ in found.configs.items() for split in all_],
    }
    _check(value)
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def _day(found: Contents) -> str:
    # When it was prepared and not today: the same data has the same description tomorrow.
    changed = (found.root / MANIFEST).stat().st_mtime
    return datetime.fromtimestamp(changed, timezone.utc).date().isoformat()


def _responsible(facts: Facts) -> dict[str, Any]:
    return {
        "rai:dataCollection": facts.collection,
        "rai:dataAnnotationProtocol": facts.annotation,
        "rai:dataPreprocessingProtocol": [facts.preprocessing],
        "rai:dataLimitations": [facts.limitations],
        "rai:dataBiases": [facts.biases],
        "rai:personalSensitiveInformation": [facts.personal],
        "rai:dataUseCases": [facts.uses],
        "rai:dataSocialImpact": facts.impact,
    }


def _distribution(found: Contents, repo: str) -> list[dict[str, Any]]:
    repository = {
        "@type": "cr:FileObject",
        "@id": "repo",
        "name": "repo",
        "description": "The repository on the Hub.",
        "contentUrl": f"{_HUB}{repo}/tree/main",
        "encodingFormat": "git+https",
        # A repository has none; this is what the Hub writes in its place.
        "sha256": "https://github.com/mlcommons/croissant/issues/80",
    }
    sets = [
        {
            "@type": "cr:FileSet",
            "@id": split.shown.removesuffix(".parquet"),
            "containedIn": {"@id": "repo"},
            "encodingFormat": "application/x-parquet",
            "includes": split.shown,
        }
        for splits in found.configs.values()
        for split in splits
    ]
    return [repository, *sets]


def _records(found: Contents, config: str, split: Split) -> dict[str, Any]:
    import pyarrow as pa

    meaning, own = columns_of(found.benchmark), split.shown.removesuffix(".parquet")
    fields = []
    for column in split.schema:
        kind, repeated = column.type, False
        while pa.types.is_list(kind) or pa.types.is_large_list(kind):
            kind, repeated = kind.value_type, True
        one = {
            "@type": "cr:Field",
            "@id": f"{own}/records/{column.name}",
            "name": column.name,
            "description": meaning.get(shown_name(column.name)) or column.name.replace("_", " "),
            "dataType": _TYPES[str(kind).removeprefix("large_")],
            "source": {"fileSet": {"@id": own}, "extract": {"column": column.name}},
        }
        fields.append(one | ({"repeated": True} if repeated else {}))
    return {
        "@type": "cr:RecordSet",
        "@id": f"{own}/records",
        "name": f"{config}/{split.name}",
        "description": f"{split.rows:,} questions of {config}, split {split.name}.",
        "field": fields,
    }


def _check(value: dict[str, Any]) -> None:
    try:
        import mlcroissant
    except ImportError:
        raise TempbenchError(
            "mlcroissant, which checks the metadata, is missing; run `pip install 'tempbench-lmms[push]'`"
        ) from None
    try:
        mlcroissant.Dataset(jsonld=value)
    except mlcroissant.ValidationError as error:
        raise TempbenchError(f"croissant.json would not be valid: {one_line(str(error))}") from None
