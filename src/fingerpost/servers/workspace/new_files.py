"""Create and rename files without ever replacing one that others put there meanwhile."""

from __future__ import annotations

import ctypes
import errno
import os
import stat
import sys

_NEW = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
_EXCLUSIVE_RENAME = ("renameatx_np", 4) if sys.platform == "darwin" else ("renameat2", 1)
"""The function of the C library that renames only if the new name is free, and its flag."""
_UNSUPPORTED = (errno.ENOSYS, errno.EINVAL, errno.ENOTSUP, errno.EPERM)


def write_new_file(name: str, data: bytes, folder: int, mode: int | None, default_mode: int = 0o600) -> None:
    """Write a new file to disk. Without `mode` it has the default mode, less what the umask takes away."""
    fd = os.open(name, _NEW, default_mode, dir_fd=folder)
    try:
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(fd, rest) :]
        if mode is not None:
            os.fchmod(fd, mode)
        os.fsync(fd)
    finally:
        os.close(fd)


def rename_new(name: str, folder: int, new_name: str, new_folder: int) -> None:
    """Rename a file, a link or a folder. Raises `FileExistsError` if the new name is taken."""
    try:
        _rename_exclusively(name, folder, new_name, new_folder)
    except OSError as error:
        if error.errno not in _UNSUPPORTED:
            raise
        _rename_in_two_steps(name, folder, new_name, new_folder)


def inode(name: str, folder: int) -> int | None:
    """Return the inode of a file, link or folder; none if nothing has this name."""
    try:
        return os.stat(name, dir_fd=folder, follow_symlinks=False).st_ino
    except FileNotFoundError:
        return None


def _rename_exclusively(name: str, folder: int, new_name: str, new_folder: int) -> None:
    function, flag = _EXCLUSIVE_RENAME
    rename = getattr(ctypes.CDLL(None, use_errno=True), function, None)
    if rename is None:
        raise OSError(errno.ENOSYS, os.strerror(errno.ENOSYS))
    if rename(folder, os.fsencode(name), new_folder, os.fsencode(new_name), ctypes.c_uint(flag)):
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def _rename_in_two_steps(name: str, folder: int, new_name: str, new_folder: int) -> None:
    """Rename on a file system such as NFS. A folder can only replace an empty folder there, never a file."""
    if not stat.S_ISDIR(os.stat(name, dir_fd=folder, follow_symlinks=False).st_mode):
        os.link(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder, follow_symlinks=False)
        return os.unlink(name, dir_fd=folder)
    if inode(new_name, new_folder) is not None:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST))
    os.rename(name, new_name, src_dir_fd=folder, dst_dir_fd=new_folder)
