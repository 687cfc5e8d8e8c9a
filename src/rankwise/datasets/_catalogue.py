"""The benchmarks known by name: their shapes, checksums and origin, and which files are wrong."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from rankwise._messages import Arg, Message
from rankwise._naming import shown, suggest

if TYPE_CHECKING:
    import pandas as pd

Kind = Literal["complete", "partial", "generated", "bundled"]

COMMIT = "97c55dbca4e34979a15edef7668916f8ee23a11a"
REPOSITORY = "github.com/Advueu963/scikit-lr"
LICENCE = (
    "published in a repository under the MIT licence; the tables behind the rankings come from UCI, "
    "Statlog and yeast-genome sources with terms of their own"
)
_BASE = f"https://raw.githubusercontent.com/Advueu963/scikit-lr/{COMMIT}/sklr/datasets/data"
_FOLDERS = {
    "complete": ("lr", f"{_BASE}/label_ranking/ranks"),
    "partial": ("partial", f"{_BASE}/partial_label_ranking/ranks"),
}
# These files hold orders (the label at position j) where all others hold positions (of label j):
# each row is the inverse permutation of the same row in WEKA-LR's XARFF file of the same name.
INVERTED = frozenset({"cold", "diau", "dtt", "heat", "spo"})
# Made up, and part of the package.
BUNDLED = frozenset({"solvents"})
# The paper's names where they differ from those of the files.
ALIASES = {"cpu-small": "cpu", "ddt": "dtt"}

# name, n_samples, n_features, n_labels, sha256 of the published file (- where there is none)
_TABLE = """
authorship 841 70 4 38f228740ce9c90280aba983a39a5cdfdb0f8db7da12fbe2a9f997ee08a47d08
bodyfat 252 7 7 a8df1cd2412efb04775b81d4ef0561ff1b28cce06c858a6b06b863db8e488589
calhousing 20640 4 4 3efd4328affa8a07f2b4747dc8de4e8e7709ed2a484cd4801b23409fd6aaae1f
cold 2465 24 4 46292ddf06f26fe755cc0135ecd2cce05b0ccc48cbfa1bee50cae314455421ee
cpu 8192 6 5 77e3c8f39ded66eaaa4f12e8de8ff646dbe878e44d8878783fa9f7ac820def06
diau 2465 24 7 a84acdb4f0a383547a580384d56fb1284e6ed94cf366bb1db7765e88f82d512f
dtt 2465 24 4 08feb6445c9d9dd0b4aede41e95aad887f250bf79a33374def7ef8d43197cdf9
elevators 16599 9 9 8a37f0ab68daeb660e98dd1f98b025e39c050916c2675ee40ea1ce6b7ce544f9
fried 40768 9 5 79e01e7efb2382b019241b7b9d7e5d8e141ce5d7abe82d2a3cd86dd732cfd2a0
glass 214 9 6 93166be4521e010c5bed2437b95f5d085eabd8f39d2fcb796ebc8df6010072ec
heat 2465 24 6 3bda21bc631a677fd4f9cf9fcda558f1bcea6ac010a00e26d491ea35a56eb256
housing 506 6 6 d280128b7fcba40855309fb419379441c09b70db7daf31b7bfca25c1063546b8
iris 150 4 3 58f033e2ae7fc5bec609bad680a121d9485280ebef255e9f4e4d07c2531557d1
pendigits 10992 16 10 3991ac2938aea1abe6ad99255377cb3c16f4835deb809086dcca4c9c74be009f
segment 2310 18 7 6427f3d1ccbbd610b1a1e2d0be46c728834e180530ed22cb2dfd115cbef8d1f8
spo 2465 24 11 db50f92f676d4307795f958cab9f820b16518538a7de53085ec5d16f4013498d
stock 950 5 5 b1088b4ad34ec5f73d393a44926f6f9bfd33a9873a32677b7599350c5808ea29
vehicle 846 18 4 6c6d7c402befea2c6f5465e078b00c6d08684261eeb315717e6dae2e18990ff1
vowel 528 10 11 6621f42854d95b61a6a28c47c5a20cadf82508d98de0b4dae7fdd58518a65c17
wine 178 13 3 c21b23445bcc6d3add1a2c5a9032ea3d143ea68cdec379436166dd12a5204fef
wisconsin 194 16 16 29bf7b4ec88f0e28f4c30b64209196519c70ae36475352ac0855d1c2bef315d5
partial/authorship 841 70 4 a06cfea13e104d3138de81a4a298c432c7005a459bff7aa447fcb3d723cf9b16
partial/glass 214 9 6 258522c16a05e9bb8bb4546f5d5aa9bba3076274288766d8f121b05b0d1db30d
partial/iris 150 4 3 bc1d4a2485afd0c521887df07623104980fb7b23b783c88e1cd78202e40c3bf2
partial/pendigits 10992 16 10 09cacf91200158473b4a25e2a9d224ebbca51a4b7e0e9e5624035e62db57950a
partial/segment 2310 18 7 74627201c589000a2c93ccef49e40a91c6069772317464fa93c693298cb54467
partial/vehicle 846 18 4 164ee337001eb565d1d6131568ff59f03afdd640c939920c638328555ae65516
partial/vowel 528 10 11 0181282f98f7a19c17a73e663a512b5b3220b77dfb3903f1d028570f303668e9
partial/wine 178 13 3 c4d0f779dc016f8b9cf70f7a3a85ad6672e9fc8fbdfa464241b8de95d4d967e4
generated/friedman 40768 9 5 -
generated/iris 150 4 3 -
generated/wine 178 13 3 -
solvents 80 3 5 -
"""


@dataclass(frozen=True)
class Entry:
    """One benchmark of the catalogue."""

    name: str
    n_samples: int
    n_features: int
    n_labels: int
    sha256: str

    @property
    def kind(self) -> Kind:
        """Complete, partial (with ties), generated without any file, or part of the package."""
        if self.name in BUNDLED:
            return "bundled"
        if self.name.startswith("generated/"):
            return "generated"
        return "partial" if self.name.startswith("partial/") else "complete"

    @property
    def file(self) -> str:
        """Where the file lies in a data folder or cache, such as ``lr/iris.csv``."""
        return f"{_FOLDERS[self.kind][0]}/{self.name.rpartition('/')[2]}.csv"

    @property
    def url(self) -> str:
        """Where the file is published."""
        return f"{_FOLDERS[self.kind][1]}/{self.name.rpartition('/')[2]}.csv"

    @property
    def inverted(self) -> bool:
        """Whether the published file holds orders in place of positions."""
        return self.name in INVERTED


def _entry(line: str) -> Entry:
    name, n_samples, n_features, n_labels, sha256 = line.split()
    return Entry(name, int(n_samples), int(n_features), int(n_labels), sha256.strip("-"))


CATALOGUE = {entry.name: entry for entry in map(_entry, _TABLE.strip().splitlines())}


class Listing(tuple[str, ...]):
    """Names of benchmarks; prints as a table, and gives one with `to_frame`."""

    __slots__ = ()

    @property
    def entries(self) -> tuple[Entry, ...]:
        """Name, kind and shape of each."""
        return tuple(CATALOGUE[name] for name in self)

    def to_frame(self) -> pd.DataFrame:
        """Return names, shapes and kinds as a DataFrame."""
        import pandas as pd  # only this method needs it

        return pd.DataFrame(
            [(e.name, e.n_samples, e.n_features, e.n_labels, e.kind) for e in self.entries],
            columns=["name", "n_samples", "n_features", "n_labels", "kind"],
        ).set_index("name")

    def __repr__(self) -> str:
        lines = [f"{'name':20}{'rows':>7}{'features':>10}{'labels':>8}  kind"]
        for entry in self.entries:
            shape = f"{entry.n_samples:>7}{entry.n_features:>10}{entry.n_labels:>8}"
            lines.append(f"{entry.name:20}{shape}  {entry.kind}")
        return "\n".join(lines)


def available(kind: Kind | None = None) -> Listing:
    """List the benchmarks that `load` knows.

    Parameters
    ----------
    kind : {"complete", "partial", "generated", "bundled"}, optional
        ``"complete"``: the 21 sets of the paper. ``"partial"``: the 8 sets with ties.
        ``"generated"``: made on the spot, without a file. ``"bundled"``: a made-up file that comes
        with the package.

    Returns
    -------
    Listing
        A tuple of names that prints as a table.

    Examples
    --------
    >>> available("generated")
    name                   rows  features  labels  kind
    generated/friedman    40768         9       5  generated
    generated/iris          150         4       3  generated
    generated/wine          178        13       3  generated
    >>> "partial/iris" in available()
    True
    """
    kinds = ("complete", "partial", "generated", "bundled")
    if kind is not None and not (isinstance(kind, str) and kind in kinds):
        raise ValueError(f"unknown kind {shown(kind)}; known are {', '.join(kinds)}")
    return Listing(name for name, entry in CATALOGUE.items() if kind in (None, entry.kind))


def find(name: str) -> Entry:
    """Return the entry of a benchmark, by its name or the paper's name for it."""
    if not isinstance(name, str):
        raise TypeError(f"name is a {type(name).__name__}; give a text such as 'iris'")
    known = ALIASES.get(name.lower(), name.lower())
    if known not in CATALOGUE:
        hint = suggest(known, CATALOGUE)
        raise ValueError(
            Message(
                f"unknown benchmark {shown(name)}; {hint}{' ' * bool(hint)}{Arg.BENCHMARKS} lists all"
            )
        )
    return CATALOGUE[known]
