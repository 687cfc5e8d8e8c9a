"""The package as a whole: what importing it costs, what its names are, what is said when parts miss."""

import importlib
import os
import pkgutil
import subprocess
import sys

import pytest

import rankwise
from minima import constraints
from rankwise._extras import require

PACKAGES = sorted(m.name for m in pkgutil.iter_modules(rankwise.__path__) if m.ispkg)


def constants_classes_functions(name):
    """The order in which the linter keeps ``__all__``."""
    return not name.isupper(), not name[0].isupper(), name


def run(code, **environment):
    return subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, **environment},
    )


def test_importing_rankwise_imports_none_of_its_dependencies():
    heavy = "{'numba', 'numpy', 'pandas', 'scipy', 'sklearn', 'matplotlib', 'joblib'}"
    done = run(f"import sys, rankwise; print(sorted({heavy} & set(sys.modules)))")
    assert done.stdout.strip() == "[]", done.stderr


def test_public_names_are_sorted_and_resolve():
    assert list(rankwise.__all__) == sorted(rankwise.__all__, key=constants_classes_functions)
    for name in rankwise.__all__:
        assert getattr(rankwise, name) is not None
    assert set(rankwise.__all__) <= set(dir(rankwise))


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="rankwise attribute tee"):
        rankwise.tee  # noqa: B018


@pytest.mark.parametrize("package", PACKAGES)
def test_names_of_a_package_are_sorted_and_resolve(package):
    module = importlib.import_module(f"rankwise.{package}")
    assert module.__doc__
    assert list(module.__all__) == sorted(module.__all__, key=constants_classes_functions)
    for name in module.__all__:
        assert getattr(module, name) is not None


@pytest.mark.parametrize(
    ("module", "remedy"),
    [("matplotlib.nothing", "rankwise[plot]"), ("yaml.nothing", "rankwise[data]"), ("tee", "tee")],
)
def test_a_missing_extra_is_named_with_what_installs_it(module, remedy):
    with pytest.raises(ImportError) as error:
        require(module, "drawing plots")
    assert str(error.value).startswith("drawing plots needs ")
    assert f"pip install '{remedy}'" in str(error.value) or f"pip install {remedy}" in str(
        error.value
    )


def test_every_requirement_has_a_lower_bound(tmp_path):
    assert any(line.startswith("numpy==") for line in constraints())
    asked = tmp_path / "pyproject.toml"
    asked.write_text(
        '[project]\nname = "tea"\ndependencies = ["cup>=1.2,<3", "milk"]\n'
        '[project.optional-dependencies]\ntest = ["spoon>=2", "tea[sugar]"]\ndocs = ["leaf"]\n'
    )
    with pytest.raises(SystemExit, match=r"no lower bound .* \['milk'\]"):
        constraints(asked)
    asked.write_text(asked.read_text().replace("milk", "milk>=3"))
    assert constraints(asked) == ["cup==1.2", "milk==3", "spoon==2"]


def test_without_a_cache_folder_kernels_compile_and_say_so_once(tmp_path):
    file = tmp_path / "file"
    file.write_text("")
    code = """
import warnings
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    from rankwise._jit import jit
    @jit
    def one():
        return 1
    @jit
    def two():
        return 2
    print(one() + two(), sum("NUMBA_CACHE_DIR" in str(w.message) for w in caught))
"""
    module = tmp_path / "kernels_here.py"
    module.write_text(code)
    # neither below a file nor in place of one can a folder be made, not even by root
    (tmp_path / "__pycache__").write_text("")
    below = str(file / "below")
    done = run(
        f"import runpy; runpy.run_path({str(module)!r})",
        NUMBA_CACHE_DIR=below,
        XDG_CACHE_HOME=below,
        HOME=below,
    )
    assert done.stdout.strip() == "3 1", done.stderr
