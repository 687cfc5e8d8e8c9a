"""The steps over parts, for those who run them: looking, coding, gathering, growing."""

from rankwise.parts._block import (
    BLOCK_ROWS,
    Block,
    Part,
    Place,
    check_block_weights,
    check_features,
    in_blocks,
    positions_of,
    ranks_of,
)
from rankwise.parts._coding import MOST_CODES, Coding, Question, coding_of, n_bin_rows
from rankwise.parts._files import EMPTY, find_files, is_pattern
from rankwise.parts._gathering import (
    Drawing,
    Draws,
    Gathered,
    Held,
    Piece,
    Wanted,
    bin_sample,
    by_part,
    gather,
    is_bytes,
    joined,
    joined_held,
    look_at,
)
from rankwise.parts._growing import Grown, GrownForest, Growth
from rankwise.parts._running import LocalRunner, Runner, Samples, memory_bytes
from rankwise.parts._summary import Summary, merged
from rankwise.parts._tables import merged_recipe

__all__ = [
    "BLOCK_ROWS",
    "EMPTY",
    "MOST_CODES",
    "Block",
    "Coding",
    "Drawing",
    "Draws",
    "Gathered",
    "Grown",
    "GrownForest",
    "Growth",
    "Held",
    "LocalRunner",
    "Part",
    "Piece",
    "Place",
    "Question",
    "Runner",
    "Samples",
    "Summary",
    "Wanted",
    "bin_sample",
    "by_part",
    "check_block_weights",
    "check_features",
    "coding_of",
    "find_files",
    "gather",
    "in_blocks",
    "is_bytes",
    "is_pattern",
    "joined",
    "joined_held",
    "look_at",
    "memory_bytes",
    "merged",
    "merged_recipe",
    "n_bin_rows",
    "positions_of",
    "ranks_of",
]
