"""Leave the network: a namespace that has a loopback of its own and nothing else."""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import struct
from pathlib import Path

_NEW_USER, _NEW_NETWORK = 0x10000000, 0x40000000
_GET_FLAGS, _SET_FLAGS, _UP = 0x8913, 0x8914, 0x1
_REQUEST = "16sh14x"
"""`struct ifreq`: the name of an interface and its flags."""


def leave_network() -> bool:
    """Move this process, and all that it starts, where only the loopback can be reached; false if that is not possible.

    Only Linux can do it, and the process must not have started a thread yet.
    """
    user, group = os.geteuid(), os.getegid()
    unshare = getattr(ctypes.CDLL(None), "unshare", None)
    if unshare is None or unshare(_NEW_USER | _NEW_NETWORK) != 0:
        return False
    own = Path("/proc/self")
    (own / "setgroups").write_text("deny")
    (own / "uid_map").write_text(f"{user} {user} 1")
    (own / "gid_map").write_text(f"{group} {group} 1")
    _raise_loopback()
    return True


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        found = fcntl.ioctl(any_socket, _GET_FLAGS, struct.pack(_REQUEST, b"lo", 0))
        flags: int = struct.unpack(_REQUEST, found)[1]
        fcntl.ioctl(any_socket, _SET_FLAGS, struct.pack(_REQUEST, b"lo", flags | _UP))
