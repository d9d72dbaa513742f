"""The `.tine` document: reading, holding, checking, changing and writing runs. Standard library and msgspec only."""

from opentine_gui.core.canonical import canonical, step_id
from opentine_gui.core.codec import decode, encode
from opentine_gui.core.digest import DigestResult, DigestVerdict
from opentine_gui.core.errors import (
    Cancelled,
    EditError,
    FormatError,
    LimitError,
    LookupFailure,
    StorageError,
    TineError,
)
from opentine_gui.core.fork import ForkPreview, fork, fork_and_edit, preview_fork
from opentine_gui.core.graph import Graph
from opentine_gui.core.merge import MergePreview, merge, preview_merge
from opentine_gui.core.model import CostState, RunStatus, Step, StepHead, StepKind, short_id
from opentine_gui.core.record import FORMAT_VERSION, Lineage, RunRecord, Source, Totals, totals_of, will_drop_signature
from opentine_gui.core.run import Run
from opentine_gui.core.storage import Fingerprint, fingerprint, read, write, write_bytes_atomic
from opentine_gui.core.verify import StepVerdict, Verification, verify

__all__ = [
    "FORMAT_VERSION",
    "Cancelled",
    "CostState",
    "DigestResult",
    "DigestVerdict",
    "EditError",
    "Fingerprint",
    "ForkPreview",
    "FormatError",
    "Graph",
    "LimitError",
    "Lineage",
    "LookupFailure",
    "MergePreview",
    "Run",
    "RunRecord",
    "RunStatus",
    "Source",
    "Step",
    "StepHead",
    "StepKind",
    "StepVerdict",
    "StorageError",
    "TineError",
    "Totals",
    "Verification",
    "canonical",
    "decode",
    "encode",
    "fingerprint",
    "fork",
    "fork_and_edit",
    "merge",
    "preview_fork",
    "preview_merge",
    "read",
    "short_id",
    "step_id",
    "totals_of",
    "verify",
    "will_drop_signature",
    "write",
    "write_bytes_atomic",
]
