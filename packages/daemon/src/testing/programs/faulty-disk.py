"""A file system that passes everything on to a folder, until it is told to fail.

    faulty-disk.py <folder> <mount point>

The file `<folder>.fault` holds the names of calls and the error that they end with, as `write fsync=EDQUOT`.
"""

import errno
import os
import sys

from fusepy import FUSE, FuseOSError, Operations

folder, place = sys.argv[1:3]


def fail_if_told(call):
    try:
        with open(folder + ".fault") as told:
            calls, _, error = told.read().strip().partition("=")
    except FileNotFoundError:
        return
    if call in calls.split():
        raise FuseOSError(getattr(errno, error))


class FaultyDisk(Operations):
    def __call__(self, call, path, *given):
        fail_if_told(call)
        return getattr(self, call)(folder + path, *given)

    def getattr(self, path, fh=None):
        found = os.lstat(path)
        names = ("st_mode", "st_nlink", "st_size", "st_uid", "st_gid", "st_ino", "st_atime", "st_mtime", "st_ctime")
        return {name: getattr(found, name) for name in names}

    def readdir(self, path, fh):
        return [".", "..", *os.listdir(path)]

    def statfs(self, path):
        found = os.statvfs(path)
        names = ("f_bavail", "f_bfree", "f_blocks", "f_bsize", "f_favail", "f_ffree", "f_files", "f_frsize", "f_namemax")
        return {name: getattr(found, name) for name in names}

    def create(self, path, mode, fi=None):
        return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL, mode)

    def open(self, path, flags):
        return os.open(path, flags & ~os.O_NOFOLLOW)

    def read(self, path, size, offset, fh):
        return os.pread(fh, size, offset)

    def write(self, path, data, offset, fh):
        return os.pwrite(fh, data, offset)

    def flush(self, path, fh):
        return 0

    def release(self, path, fh):
        return os.close(fh)

    def fsync(self, path, datasync, fh):
        return os.fsync(fh)

    def fsyncdir(self, path, datasync, fh):
        return 0

    def truncate(self, path, length, fh=None):
        return os.truncate(path if fh is None else fh, length)

    def mkdir(self, path, mode):
        return os.mkdir(path, mode)

    def rmdir(self, path):
        return os.rmdir(path)

    def unlink(self, path):
        return os.unlink(path)

    def rename(self, path, new):
        return os.rename(path, folder + new)

    def chmod(self, path, mode):
        return os.chmod(path, mode)

    def chown(self, path, uid, gid):
        return os.lchown(path, uid, gid)

    def utimens(self, path, times=None):
        return os.utime(path, times)

    def readlink(self, path):
        return os.readlink(path)


FUSE(FaultyDisk(), place, foreground=True, allow_other=True, default_permissions=True)
