"""`python -m eval.centring`: compute and write the local space's centring, print what it does."""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from pathlib import Path
from typing import Any

from eval.centring.fitting import fitted
from eval.centring.measuring import embedded, groups, held_out, measured_qa
from eval.centring.sentences import languages
from fonds.providers.centring import CENTRING_FILE, centring_in
from fonds.providers.local_model import load_local_model, raw_vectors


def main() -> None:
    """Without `--qa` the figures come from the sentences alone, with it also from its sets."""
    options = _options()
    model = load_local_model()
    pairs = embedded(languages(), lambda texts, side: raw_vectors(model, texts, side))
    content = fitted(groups(pairs))
    report: dict[str, Any] = {
        "file": CENTRING_FILE.name,
        "sha256": hashlib.sha256(content).hexdigest(),
        "written": not options.dry_run,
        "sentences": {code: 2 * len(each.passages) for code, each in pairs.items()},
        "languages": held_out(pairs),
    }
    if options.qa is not None:
        centring = centring_in(content, "the fit")
        report["qa"] = measured_qa(
            options.qa, centring, lambda texts, side: raw_vectors(model, texts, side), options.most
        )
    if not options.dry_run:
        CENTRING_FILE.write_bytes(content)
    sys.stdout.write(json.dumps(report, indent=1, ensure_ascii=False) + "\n")


class _Options(argparse.Namespace):
    qa: Path | None
    most: int
    dry_run: bool


def _options() -> _Options:
    parser = argparse.ArgumentParser(prog="python -m eval.centring", description=__doc__)
    parser.add_argument("--qa", type=Path, help="a folder of NAME.docs.jsonl, NAME.questions.jsonl")
    parser.add_argument("--most", type=int, default=200, help="passages and questions a set (200)")
    parser.add_argument(
        "--dry-run", action="store_true", help="print only; leave the data as it is"
    )
    return parser.parse_args(namespace=_Options())


if __name__ == "__main__":
    main()
