"""What a careful colleague looks at first: an audit of features and rankings before learning."""

from rankwise.audits._audit import audit
from rankwise.audits._comparisons import Comparisons
from rankwise.audits._features import FeatureSummary
from rankwise.audits._findings import Finding
from rankwise.audits._labels import LabelSummary
from rankwise.audits._orientation import OrdersEvidence
from rankwise.audits._repeats import Repeats
from rankwise.audits._result import Audit

__all__ = [
    "Audit",
    "Comparisons",
    "FeatureSummary",
    "Finding",
    "LabelSummary",
    "OrdersEvidence",
    "Repeats",
    "audit",
]
