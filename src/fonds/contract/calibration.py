"""What a gate was calibrated to: a threshold, the model behind its signal, and what it is for
(R168-R170).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from math import isfinite, isnan
from typing import Literal, TypeAlias, get_args

from fonds.contract.failures import MisauthoredInput
from fonds.contract.sealed import sealed

QuestionKind: TypeAlias = Literal["answerable", "near-miss", "out-of-archive"]
CalibrationSource: TypeAlias = Literal["own", "bank"]
ConformalRule: TypeAlias = Literal["plain", "strict"]
SIGNALS = 5  # top score, its distance, coverage, lexical score, lexical margin


@sealed
@dataclass(frozen=True, slots=True)
class FusionModel:
    """How five signals become one number: standardise, weigh, add; a signal that is not there
    counts as its mean.

    `fitted` says whether the weights come from the archive's own questions or are the bundled ones.
    """

    means: tuple[float, ...]
    deviations: tuple[float, ...]
    weights: tuple[float, ...]
    bias: float
    fitted: bool = False

    def __post_init__(self) -> None:
        parts = (self.means, self.deviations, self.weights)
        if any(len(part) != SIGNALS for part in parts):
            raise MisauthoredInput(f"fusion model: {SIGNALS} means, deviations and weights")
        if not all(isfinite(one) for part in (*parts, (self.bias,)) for one in part):
            raise MisauthoredInput("fusion model: finite numbers")
        if min(self.deviations) <= 0:
            raise MisauthoredInput("fusion model: deviations above zero")


@sealed
@dataclass(frozen=True, slots=True)
class GatePrice:
    """Counted on questions the threshold was not taken from; it carries no guarantee (R170).

    Of `answerable` questions `refused` passed floors and gate with nothing, `below_floors` of them
    because of a floor already. Of `near_miss` and `absent` ones some were let through to a record,
    and of both together `routed` to hints alone.
    """

    refused: int
    below_floors: int
    answerable: int
    near_miss_passed: int
    near_miss: int
    absent_passed: int
    absent: int
    routed: int

    def __post_init__(self) -> None:
        pairs = (
            (self.refused, self.answerable),
            (self.below_floors, self.refused),
            (self.near_miss_passed, self.near_miss),
            (self.absent_passed, self.absent),
            (self.routed, self.near_miss + self.absent),
        )
        if any(not 0 <= count <= of for count, of in pairs):
            raise MisauthoredInput("gate price: counts are at most what they are of")


@sealed
@dataclass(frozen=True, slots=True)
class Calibration:
    """Belongs to one build. A signal passes strictly above its threshold; infinity lets nothing
    pass, minus infinity all that the floors let.

    `counted` unanswerable questions gave the thresholds, `near_misses` of them asking for a fact
    that is missing where the topic is there. `source` bank is provisional: questions written for
    no archive. `public_hint_threshold` is made of hints of public material alone, and holds for
    them: no private row moves what a caller is told of public layers.
    """

    source: CalibrationSource
    rule: ConformalRule
    alpha: float
    counted: int
    near_misses: int
    threshold: float
    hint_threshold: float
    public_hint_threshold: float
    signal: str
    model: FusionModel = field(repr=False)
    plugins: str
    space_id: str
    questions: str
    made_at: datetime | None = None
    price: GatePrice | None = None

    def __post_init__(self) -> None:
        if self.source not in get_args(CalibrationSource):
            raise MisauthoredInput("calibration.source: own or bank")
        if self.rule not in get_args(ConformalRule):
            raise MisauthoredInput("calibration.rule: plain or strict")
        if not 0 < self.alpha < 1:
            raise MisauthoredInput("calibration.alpha: above 0 and below 1")
        if any(map(isnan, (self.threshold, self.hint_threshold, self.public_hint_threshold))):
            raise MisauthoredInput("calibration: a threshold is a number or infinite")
        if not 0 <= self.near_misses <= self.counted:
            raise MisauthoredInput("calibration: near misses are among what was counted")
