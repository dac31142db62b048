"""The suite's say over a build before it is live (R182)."""

from __future__ import annotations

from dataclasses import dataclass

from fonds.archive_config import ArchiveConfig
from fonds.contract.calibration_store import CalibrationStore
from fonds.contract.failures import Misconfigured
from fonds.contract.ports import Embedder
from fonds.evaluation.judging import retrieval_issues
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import searched
from fonds.wiring.known_questions import knowing_embedder
from fonds.wiring.watching import suite_of


@dataclass(frozen=True, slots=True)
class Admission:
    """The retrieval tier of an archive's suite, asked of one build as the build role."""

    config: ArchiveConfig
    store: CalibrationStore
    embedder: Embedder
    retrieval: RetrievalSettings

    def problems(self, build_id: int) -> tuple[str, ...]:
        """Issues by case and place, never by text; none where the archive does not ask for this.

        Raises Misconfigured without a suite, ProviderUnavailable where the embedder is not there.
        """
        if not self.config.admit:
            return ()
        suite = suite_of(self.config)
        if suite is None:
            raise Misconfigured("[evaluation] admit needs a suite: name one under gold")
        cases = [case for case in suite.cases if case.names_sources]
        embedder = knowing_embedder(self.embedder, [case.query for case in cases])
        with self.store.as_if_live(build_id) as served:
            return tuple(
                f"{case.case_id}: {issue}"
                for case in cases
                for issue in retrieval_issues(
                    case, searched(case.request, served, embedder, self.retrieval).hits
                )
            )
