"""A question the author asked, made into a case of the archive's suite (R180)."""

from __future__ import annotations

import hashlib

from fonds.contract.failures import Failure
from fonds.evaluation.gold import GoldCase, GoldSuite, check_sources_exist
from fonds.evaluation.new_case import NewCase, keep_case, laid_case, own_suite_file, suggested_id
from fonds.wiring.evaluating import archive_suite
from fonds.wiring.house import House


def free_id(house: House, question: str) -> str:
    """An id no case has, made of a question's words; a suite that cannot be read has none."""
    try:
        suite = archive_suite(house)
    except Failure:
        suite = None
    return suggested_id(question, suite)


def laid(house: House, case: GoldCase) -> NewCase:
    """The suite's file with the case in it, written nowhere.

    Raises Misconfigured without a suite or with one outside the archive's folder, MisauthoredInput
    for a source the archive does not hold, and what stands wrong in the file or in the case.
    """
    config = house.config
    archive_suite(house)
    assert config.gold is not None  # noqa: S101 - there is a suite
    check_sources_exist(GoldSuite((case,)), house.known_ids())
    file = own_suite_file(config.gold, config.file.parent)
    return laid_case(file, case, author=config.author)


def keep(house: House, case: GoldCase, before: str) -> None:
    """Writes what `laid` showed; raises what it raises, and for a file that was changed since."""
    laid(house, case)
    assert house.config.gold is not None  # noqa: S101 - it was laid there
    file = own_suite_file(house.config.gold, house.config.file.parent)
    keep_case(file, case, before, author=house.config.author)


def mark_of(case_id: str) -> str:
    """What stands for a case in an address: an id is made of a question's words."""
    return hashlib.sha256(case_id.encode()).hexdigest()[:16]


def marked_case(house: House, mark: str) -> str:
    """The id of the suite's case that has the mark; empty where none has."""
    ids = (case.case_id for case in archive_suite(house).cases)
    return next((one for one in ids if mark_of(one) == mark), "")
