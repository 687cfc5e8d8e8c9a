"""Public names document their parameters, in order, with types and descriptions, and what they return."""

import importlib
import inspect

import pytest
from numpydoc.docscrape import ClassDoc
from numpydoc.validate import validate

import rankwise

PACKAGES = sorted(name for name in rankwise.__all__ if inspect.ismodule(getattr(rankwise, name)))
# numpydoc's codes: no docstring; parameters that are unknown or in the wrong order, without type,
# without description.
CHECKS = {"GL08", "PR02", "PR03", "PR04", "PR07"}

# Names that still miss something, to be taken out when they are mended.
UNFINISHED: set[str] = {
    "rankwise.metrics._noise.inconsistency",
    "rankwise.metrics._noise.tau_gap",
    "rankwise.metrics._pairs.exact_match",
    "rankwise.metrics._pairs.kendall_distance",
    "rankwise.metrics._positions.footrule_distance",
    "rankwise.metrics._positions.spearman_distance",
    "rankwise.metrics._positions.spearman_rho",
    "rankwise.metrics._regret.regret",
    "rankwise.metrics._top.reciprocal_rank",
    "rankwise.metrics._top.top_k_accuracy",
    "rankwise.oracles._bounded.TruncatedGaussian",
    "rankwise.oracles._bounded.UniformNoise",
    "rankwise.oracles._families.family_oracle",
    "rankwise.oracles._families.make_family",
    "rankwise.oracles._features.BooleanFeatures",
    "rankwise.oracles._features.CorrelatedBooleanFeatures",
    "rankwise.oracles._features.GaussianFeatures",
    "rankwise.oracles._features.UniformFeatures",
    "rankwise.oracles._matching.match_gaussian",
    "rankwise.oracles._oracle.Oracle.expected_inconsistency",
    "rankwise.oracles._oracle.Oracle.expected_tau_gap",
    "rankwise.oracles._oracle.Oracle.median",
    "rankwise.oracles._oracle.Oracle.pairwise",
    "rankwise.oracles._oracle.Oracle.truth",
    "rankwise.oracles._partial.TopK",
    "rankwise.oracles._scores.SparseLinear",
    "rankwise.theory._density.feature_dependence",
    "rankwise.theory._density.marginal_density",
    "rankwise.theory._gap.strong_sparsity",
    "rankwise.theory._margins.tsybakov",
    "rankwise.theory._pairs.pair_excess_risk",
    "rankwise.theory._pairs.pairwise_risk_bound",
    "rankwise.theory._returns.diminishing_returns",
    "rankwise.theory._returns.submodularity",
    "rankwise.theory._sparsity.sparsity",
    "rankwise.theory._suggestions.suggest_samples",
    "rankwise.theory._tolerance.deletion_tolerance",
    "rankwise.theory._tolerance.partial_tolerance",
    "rankwise.theory._transitivity.transitivity",
}


def public_names(package):
    """Yield the functions, classes and methods that a package offers."""
    module = importlib.import_module(f"rankwise.{package}")
    things = [getattr(module, name) for name in module.__all__]
    classes = [thing for thing in things if inspect.isclass(thing)]
    interfaces = [kind for kind in classes if getattr(kind, "_is_protocol", False)]
    for thing in things:
        if inspect.isclass(thing) or is_ours(thing):
            yield thing
    for kind in classes:
        for name, method in inspect.getmembers(kind, is_ours):
            owners = [c for c in kind.__mro__ if name in vars(c)]
            owners += [c for c in interfaces if name in vars(c) and c is not kind]
            first = all(owner is owners[0] or not is_ours(owner) for owner in owners)
            # What a class above or an interface documents, stands there.
            if first and not name.startswith("_"):
                yield method


def is_ours(thing):
    kind = inspect.isclass(thing) or inspect.isfunction(thing)
    return kind and thing.__module__.startswith("rankwise.")


def faults(thing):
    """Return what numpydoc finds wrong, as texts."""
    found = validate(f"{thing.__module__}.{thing.__qualname__}")["errors"]
    shown_as_attributes = inspect.isclass(thing) and fields(thing) <= typed_attributes(thing)
    return [
        f"{code}: {text}"
        for code, text in found
        if code in CHECKS and not (code == "PR01" and shown_as_attributes)
    ]


def fields(kind):
    """Return what making an object of a class takes; an interface and an exception take anything."""
    try:
        parameters = inspect.signature(kind).parameters.values()
    except ValueError:
        return set()
    return {p.name for p in parameters if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD)}


def typed_attributes(kind):
    """Return the attributes of a class with type and description: users read a result, and make none."""
    doc = ClassDoc(kind, config={"show_class_members": False})
    entries = [entry for entry in doc["Attributes"] if entry.type and entry.desc]
    return {name for entry in entries for name in entry.name.split(", ")}


@pytest.mark.parametrize("package", PACKAGES)
def test_parameters_have_types_and_descriptions(package):
    found = {f"{t.__module__}.{t.__qualname__}": faults(t) for t in public_names(package)}
    assert {n: f for n, f in found.items() if f and n not in UNFINISHED} == {}
    finished = sorted(n for n in UNFINISHED & set(found) if not found[n])
    assert finished == [], "take these out of the list of what is unfinished"
