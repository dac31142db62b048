"""One archive, opened: its file, its server and what can be done with them (design section 1)."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TypeAlias

from fonds.answering.ask import AskSettings, ask
from fonds.answering.prompt import AboutArchive
from fonds.answering.refusal import Answered, Refused
from fonds.answering.search_outcome import SearchOutcome
from fonds.archive_config import ArchiveConfig
from fonds.build.acceptance import Acceptance
from fonds.build.build_report import BuildReport
from fonds.build.build_served import build_served
from fonds.build.checking import refuse_any
from fonds.build.preview import Difference, Previewed, preview
from fonds.contract.build_store import BuildSummary, BuildTerms
from fonds.contract.failures import Misconfigured
from fonds.contract.near_query import LiveBuild
from fonds.contract.ports import AnswerWriter, Embedder, RefusalLog
from fonds.contract.search_request import SearchRequest
from fonds.contract.swept_string import SweptString
from fonds.ingestion.gist_changes import GistChanges
from fonds.ingestion.import_gists import import_gists
from fonds.ingestion.ingest_archive import ingest_archive
from fonds.ingestion.ingest_pairs import ingest_pairs
from fonds.ingestion.publishing import check_published
from fonds.ingestion.report import IngestReport
from fonds.retrieval.retrieval_settings import RetrievalSettings
from fonds.retrieval.search import Searched, searched
from fonds.settings import Settings
from fonds.store.archives import job_lock, open_archive
from fonds.store.build_store import PostgresBuildStore
from fonds.store.calibration_store import PostgresCalibrationStore
from fonds.store.curator_store import PostgresCuratorStore
from fonds.store.index_store import PostgresIndexStore
from fonds.store.pools import Pool
from fonds.store.private_store import PostgresPrivateStore
from fonds.store.refusal_store import PostgresRefusalLog, keep_questions
from fonds.store.role_duty import DUTIES, DutyName
from fonds.store.role_proof import RoleProof, prove
from fonds.store.served_store import PostgresServedStore
from fonds.store.servers import Server
from fonds.wiring.admission import Admission
from fonds.wiring.build_terms import terms_of
from fonds.wiring.calibrator import Calibrator, gate_terms
from fonds.wiring.choosing import chosen_retrieval
from fonds.wiring.indexing import Indexing
from fonds.wiring.noted_build import noted_build
from fonds.wiring.outcome import outcome_of
from fonds.wiring.plugins import Pair, consumer_source
from fonds.wiring.registering import registered
from fonds.wiring.serving import RolePools
from fonds.wiring.watching import sweep_of

OnFound: TypeAlias = Callable[[Searched], None]


@dataclass(slots=True)
class House:
    """Everything a command or a job does, each as its own database role; `opened` closes it."""

    settings: Settings
    config: ArchiveConfig
    server: Server
    embedder: Embedder
    writer: AnswerWriter
    _role_pools: RolePools = field(repr=False)
    # Found once and the same for as long as the house is open.
    _archive_id: int | None = field(default=None, repr=False)
    _retrieval: RetrievalSettings | None = field(default=None, repr=False)

    def ingest(
        self,
        *,
        progress: Callable[[str, int, int], None],
        publish: frozenset[str] = frozenset(),
    ) -> IngestReport:
        """Corpus to private schema, one run at a time; raises Busy, Misconfigured, Unavailable."""
        archive_id = self._registered()
        with job_lock(self.server.login_of("fonds_ingest"), archive_id, "ingest"):
            store = PostgresPrivateStore(self.pool("fonds_ingest"), archive_id)
            brought = IngestReport()
            for source in self.config.sources:
                pairs = consumer_source(source)(self.config)
                terms = (source, pairs, store, self.embedder)
                brought.add(ingest_pairs(*terms, progress=progress, publish=publish))
            if self.config.sources and not self.config.has_folders:
                check_published(publish, store.sources())
                return brought
            report = ingest_archive(
                self.config, store, self.embedder, progress=progress, publish=publish
            )
            report.add(brought)
            return report

    def ingest_pairs(self, source: str, pairs: Iterable[Pair]) -> IngestReport:
        """Make what `source` stands for exactly these pairs; raises Busy, EmbeddingStopped."""
        archive_id = self._registered()
        with job_lock(self.server.login_of("fonds_ingest"), archive_id, "ingest"):
            store = PostgresPrivateStore(self.pool("fonds_ingest"), archive_id)
            return ingest_pairs(source, pairs, store, self.embedder)

    def import_gists(self, file: Path | None = None) -> GistChanges:
        """The author's gists, from the file or the one `[gists] file` names."""
        chosen = file or self.config.gists
        if chosen is None:
            raise Misconfigured("no gist file: name one, or set [gists] file in the archive file")
        return import_gists(chosen, self.curator_store())

    def build(
        self,
        *,
        yes: bool = False,
        accept: str | None = None,
        dry_run: bool = False,
        progress: Callable[[str], None] = lambda step: None,
    ) -> BuildReport:
        """Private to served, one run at a time; raises Busy, ValidationRefused, Unavailable.

        `yes` accepts whatever widens, `accept` exactly the difference of that digest (R191).
        """
        of_archive = self._of_archive("fonds_build")
        keep_questions(*of_archive, self.config.question_days)
        with self.building() as builds, noted_build(*of_archive, dry_run=dry_run) as note:
            made = build_served(
                builds,
                self.terms,
                sweep_of(self.config),
                acceptance=Acceptance(self.config.widen, yes, accept),
                admit=self.admission.problems,
                calibrate=self.calibrator.keep_fitted,
                index=self.indexing.keep,
                dry_run=dry_run,
                progress=progress,
            )
            return note(made)

    def preview(
        self,
        entity_ids: Sequence[str] = (),
        *,
        on_fragment: Callable[[Previewed], None] = lambda seen: None,
        progress: Callable[[str], None] = lambda step: None,
    ) -> Difference:
        """What the next build would let travel and how that differs from the live one; keeps
        nothing. Raises what `build` raises.
        """
        with self.building() as builds:
            return preview(
                builds,
                self.terms,
                Acceptance(self.config.widen),
                entity_ids=entity_ids,
                on_fragment=on_fragment,
                progress=progress,
            )

    def rollback(self) -> BuildSummary:
        """Back to the build before the live one; what was withdrawn since stays withdrawn."""
        with self.building() as builds:
            return builds.rollback()

    @contextmanager
    def building(self) -> Generator[PostgresBuildStore]:
        """The builds, while no other run makes, points at or calibrates one; raises Busy."""
        builds = self._builds()
        with job_lock(self.server.login_of("fonds_build"), builds.archive_id, "build"):
            yield builds

    def builds(self) -> tuple[BuildSummary, ...]:
        """Kept builds, youngest first."""
        return tuple(self._builds().builds())

    def validate(self) -> BuildReport:
        """Re-earns every verdict over private rows and looks at what is served; keeps nothing."""
        checked = self.build(dry_run=True)
        builds = self._builds()
        live = next((build for build in builds.builds() if build.live), None)
        refuse_any(builds.served_problems(live.build_id) if live else (), "problem(s) served")
        return checked

    def prove(self, role: DutyName) -> RoleProof:
        """The proof that a login without content cannot reach any; raises ValidationRefused."""
        duty = DUTIES[role]
        return prove(self.pool(duty.role), duty)

    def search(self, request: SearchRequest, *, exactly: bool = False) -> Searched:
        """Projected hits with their figures; raises what `fonds.retrieval.search` raises."""
        served = PostgresServedStore(*self._of_archive("fonds_reader"), exactly=exactly)
        return searched(request, served, self.embedder, self.retrieval)

    def ask(self, request: SearchRequest, *, on_found: OnFound | None = None) -> Answered | Refused:
        """A cited answer or a refusal that was recorded (R161); `on_found` is given what it was
        made from.
        """
        said = (request.query, days) if (days := self.config.question_days) else (None, None)
        log = PostgresRefusalLog(*self._of_archive("fonds_reader"), *said)
        return self._asked(request, log, on_found)

    def ask_unrecorded(
        self, request: SearchRequest, *, on_found: OnFound | None = None
    ) -> Answered | Refused:
        """As `ask`, for a question no reader asked: it leaves no refusal record."""
        return self._asked(request, None, on_found)

    def curator_store(self) -> PostgresCuratorStore:
        """The author's say over gists, as the curator role."""
        return PostgresCuratorStore(*self._of_archive("fonds_curator"))

    def live_build(self) -> LiveBuild:
        """The build that answers; raises NothingServed when none is live."""
        with PostgresServedStore(*self._of_archive("fonds_reader")).reading() as reader:
            return reader.build

    def known_ids(self) -> frozenset[str]:
        """What a gold case may name: every entity and fragment, withheld ones included (R180)."""
        return self._builds().known_ids()

    def swept_strings(self, build_id: int) -> tuple[SweptString, ...]:
        """What the canary sweep looks at of a build (R182)."""
        return tuple(self._builds().swept_strings(build_id))

    @property
    def terms(self) -> BuildTerms:
        """What a build of this archive is made under: its space and floors."""
        return terms_of(self.embedder.space, self.config.floors)

    @property
    def retrieval(self) -> RetrievalSettings:
        """How this archive retrieves; raises Misconfigured for a boost that is not installed."""
        if self._retrieval is None:
            self._retrieval = chosen_retrieval(self.config)
        return self._retrieval

    @property
    def calibrator(self) -> Calibrator:
        """Fits the gate of a build, as the build role (R169)."""
        return Calibrator(self.config, self._checked(), self.embedder, self.retrieval)

    @property
    def indexing(self) -> Indexing:
        """Makes and checks the approximate index of a build, where one is asked for (R114)."""
        indexes = PostgresIndexStore(*self._of_archive("fonds_build"))
        return Indexing(self.config, indexes, self._checked(), self.embedder, self.retrieval)

    @property
    def admission(self) -> Admission:
        """Asks the suite of a build before it is live, where the archive wants that (R182)."""
        return Admission(self.config, self._checked(), self.embedder, self.retrieval)

    def pool(self, role: str) -> Pool:
        """The role's pool; raises what `RolePools.of` raises."""
        return self._role_pools.of(role)

    def _asked(
        self,
        request: SearchRequest,
        log: RefusalLog | None,
        on_found: OnFound | None = None,
    ) -> Answered | Refused:
        def outcome(request: SearchRequest, *, exactly: bool = False) -> SearchOutcome:
            found = self.search(request, exactly=exactly)
            if on_found is not None:
                on_found(found)
            return outcome_of(found)

        about = AboutArchive(self.config.name, self.config.author)
        settings = AskSettings(about, gate=gate_terms(self.config, self.retrieval))
        return ask(
            request,
            search=outcome,
            search_exactly=partial(outcome, exactly=True),
            writer=self.writer,
            settings=settings,
            log=log,
        )

    def _builds(self) -> PostgresBuildStore:
        return PostgresBuildStore(*self._of_archive("fonds_build"))

    def _checked(self) -> PostgresCalibrationStore:
        return PostgresCalibrationStore(*self._of_archive("fonds_build"))

    def _of_archive(self, role: str) -> tuple[Pool, int]:
        """What a store over a role's pool is made of; NothingServed before the first ingest."""
        pool = self.pool(role)
        if self._archive_id is None:
            self._archive_id = open_archive(pool, self.config.slug)
        return pool, self._archive_id

    def _registered(self) -> int:
        archive_id = registered(self.pool("fonds_ingest"), self.config)
        keep_questions(self.pool("fonds_ingest"), archive_id, self.config.question_days)
        return archive_id
