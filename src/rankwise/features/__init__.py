"""Features coded once, for all labels, trees and folds."""

from rankwise.features._coding import BLOCK, MISSING, BooleanFeatures, CodedFeatures, code_features

__all__ = ["BLOCK", "MISSING", "BooleanFeatures", "CodedFeatures", "code_features"]
