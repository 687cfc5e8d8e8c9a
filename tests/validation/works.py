"""Work for units; in a module of its own, so that other processes can import it."""

import os
import signal
import time
from pathlib import Path


def double(config):
    return {"double": 2 * config["value"]}


def double_and_note(config):
    """Leave a trace of each call in a folder."""
    folder = Path(config["folder"])
    (folder / f"{config['value']}-{os.getpid()}-{time.monotonic_ns()}").touch()
    time.sleep(config.get("seconds", 0.0))
    return {"double": 2 * config["value"]}


def fail_on_odd(config):
    if config["value"] % 2:
        raise ValueError(f"value {config['value']}\nis odd")
    return double(config)


def die_on_three(config):
    if config["value"] == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return double(config)


def return_a_set(config):
    return {"values": {1, 2}}


def interrupt_on_two(config):
    if config["value"] == 2:
        raise KeyboardInterrupt
    return double(config)
