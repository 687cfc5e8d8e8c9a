"""rankwise learns to rank a fixed set of labels from features.

What it offers is listed in ``__init__.pyi``. Names are loaded when they are first used, so that
``import rankwise`` costs nothing.
"""

import lazy_loader

__version__ = "0.1.0.dev0"

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
