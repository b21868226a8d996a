"""Runs steps (JSON on standard input) in a mounted directory, and prints what each returned."""

import json
import os
import sys

root = sys.argv[1]


def at(path):
    return os.path.join(root, path)


def write(path, flags, text, offset=0, mode=0o644):
    fd = os.open(at(path), flags, mode)
    try:
        os.pwrite(fd, text.encode(), offset) if not flags & os.O_APPEND else os.write(fd, text.encode())
    finally:
        os.close(fd)


def read(path):
    with open(at(path)) as file:
        return file.read()


def link_size(path):
    return os.lstat(at(path)).st_size


new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
actions = {
    "mkdir": lambda path: os.mkdir(at(path)),
    "rmdir": lambda path: os.rmdir(at(path)),
    "put": lambda path, text: write(path, new, text),
    "putScript": lambda path, text: write(path, new, text, mode=0o755),
    "create": lambda path, text: write(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, text),
    "rewrite": lambda path, text: write(path, os.O_WRONLY | os.O_TRUNC, text),
    "patch": lambda path, text: write(path, os.O_WRONLY, text, 2),
    "append": lambda path, text: write(path, os.O_WRONLY | os.O_APPEND, text),
    "truncate": lambda path, size: os.truncate(at(path), int(size)),
    "get": read,
    "rm": lambda path: os.unlink(at(path)),
    "replace": lambda old, new: os.rename(at(old), at(new)),
    "symlink": lambda target, path: os.symlink(target, at(path)),
    "readlink": lambda path: os.readlink(at(path)),
    "lstatSize": link_size,
    "chmod": lambda path, mode: os.chmod(at(path), int(mode, 8)),
    "utime": lambda path, time: os.utime(at(path), (int(time), int(time))),
    "list": lambda path: sorted(os.listdir(at(path))),
}

for name, *args in json.load(sys.stdin):
    try:
        result = actions[name](*args) if name in actions else "-"
        print(json.dumps(["ok", result]))
    except OSError:
        print(json.dumps(["fails"]))
