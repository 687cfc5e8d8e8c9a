"""Features coded once, for all labels, trees and folds."""

from rankwise.features._coding import MISSING, BooleanFeatures, CodedFeatures, code_features

__all__ = ["MISSING", "BooleanFeatures", "CodedFeatures", "code_features"]
