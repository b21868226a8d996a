"""Runs steps (JSON on standard input) with Paramiko, and prints what each returned."""

import json
import sys

import paramiko

port, user, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]
client = paramiko.SSHClient()
client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
client.connect("127.0.0.1", port, user, key_filename=key, allow_agent=False, look_for_keys=False)
sftp = client.open_sftp()


def write(path, mode, text, offset=None):
    with sftp.open(path, mode) as file:
        if offset is not None:
            file.seek(offset)
        file.write(text)


def read(path):
    with sftp.open(path) as file:
        return file.read().decode()


actions = {
    "mkdir": sftp.mkdir,
    "rmdir": sftp.rmdir,
    "put": lambda path, text: write(path, "w", text),
    "create": lambda path, text: write(path, "wx", text),
    "patch": lambda path, text: write(path, "r+", text, 2),
    "append": lambda path, text: write(path, "a", text),
    "truncate": lambda path, size: sftp.truncate(path, int(size)),
    "get": read,
    "rm": sftp.remove,
    "rename": sftp.rename,
    "replace": sftp.posix_rename,
    "symlink": sftp.symlink,
    "readlink": sftp.readlink,
    "lstatSize": lambda path: sftp.lstat(path).st_size,
    "chmod": lambda path, mode: sftp.chmod(path, int(mode, 8)),
    "utime": lambda path, time: sftp.utime(path, (int(time), int(time))),
    "list": lambda path: sorted(sftp.listdir(path)),
}

for name, *args in json.load(sys.stdin):
    try:
        result = actions[name](*args) if name in actions else "-"
        print(json.dumps(["ok", result if isinstance(result, (str, int, list)) else None]))
    except OSError:
        print(json.dumps(["fails"]))
client.close()
