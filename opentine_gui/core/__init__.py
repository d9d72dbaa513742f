"""The `.tine` document: reads, verifies, edits, compares and writes runs.

Needs the standard library, msgspec and, for zstd on Pythons without it, a zstd package.
"""

from opentine_gui.core.comparison.compare import (
    Comparison,
    DivergenceKind,
    DriftTwins,
    Figure,
    Figures,
    Mark,
    Pair,
    PairKind,
    RootDivergence,
    compare,
)
from opentine_gui.core.comparison.run_diff import RunDiff, StepChange
from opentine_gui.core.comparison.step_difference import FieldDifference, PathChange, PathDifference, step_difference
from opentine_gui.core.comparison.text_difference import LineChange, TextDifference, TextLine, text_difference
from opentine_gui.core.edit.extract import extract
from opentine_gui.core.edit.fork import ForkPreview, fork, fork_and_edit, preview_fork
from opentine_gui.core.edit.merge import MergePreview, merge, preview_merge
from opentine_gui.core.edit.replay import replay
from opentine_gui.core.errors import (
    Cancelled,
    EditError,
    FileChanged,
    FormatError,
    LimitError,
    LookupFailure,
    ReplayMiss,
    StorageError,
    TineError,
)
from opentine_gui.core.family.descent import Basis, Descent
from opentine_gui.core.family.spending import Spending, StepSpending, Variant
from opentine_gui.core.family.union import Conflict, Family, family_of
from opentine_gui.core.files.digest import DigestResult, DigestVerdict
from opentine_gui.core.files.origin import Verdict
from opentine_gui.core.files.overview import Overview, overview_of, read_overview
from opentine_gui.core.files.reader import decode, encode
from opentine_gui.core.files.storage import Fingerprint, fingerprint, read, write, write_bytes_atomic
from opentine_gui.core.files.verify import NOT_EVERYTHING, Verification, verify
from opentine_gui.core.format.canonical import canonical, step_id
from opentine_gui.core.format.metadata import Lineage
from opentine_gui.core.format.source import Source
from opentine_gui.core.graph.graph import Graph
from opentine_gui.core.graph.step_address import StepVerdict
from opentine_gui.core.graph.totals import Totals, totals_of
from opentine_gui.core.model import CostState, RunStatus, Step, StepHead, StepKind, short_id
from opentine_gui.core.record import FORMAT_VERSION, RunRecord, will_drop_signature
from opentine_gui.core.run.run import Run

__all__ = [
    "FORMAT_VERSION",
    "NOT_EVERYTHING",
    "Basis",
    "Cancelled",
    "Comparison",
    "Conflict",
    "CostState",
    "Descent",
    "DigestResult",
    "DigestVerdict",
    "DivergenceKind",
    "DriftTwins",
    "EditError",
    "Family",
    "FieldDifference",
    "Figure",
    "Figures",
    "FileChanged",
    "Fingerprint",
    "ForkPreview",
    "FormatError",
    "Graph",
    "LimitError",
    "LineChange",
    "Lineage",
    "LookupFailure",
    "Mark",
    "MergePreview",
    "Overview",
    "Pair",
    "PairKind",
    "PathChange",
    "PathDifference",
    "ReplayMiss",
    "RootDivergence",
    "Run",
    "RunDiff",
    "RunRecord",
    "RunStatus",
    "Source",
    "Spending",
    "Step",
    "StepChange",
    "StepHead",
    "StepKind",
    "StepSpending",
    "StepVerdict",
    "StorageError",
    "TextDifference",
    "TextLine",
    "TineError",
    "Totals",
    "Variant",
    "Verdict",
    "Verification",
    "canonical",
    "compare",
    "decode",
    "encode",
    "extract",
    "family_of",
    "fingerprint",
    "fork",
    "fork_and_edit",
    "merge",
    "overview_of",
    "preview_fork",
    "preview_merge",
    "read",
    "read_overview",
    "replay",
    "short_id",
    "step_difference",
    "step_id",
    "text_difference",
    "totals_of",
    "verify",
    "will_drop_signature",
    "write",
    "write_bytes_atomic",
]
