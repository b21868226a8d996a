"""Runs steps (JSON on standard input) with AsyncSSH, and prints what each returned."""

import asyncio
import json
import sys

import asyncssh

port, user, key = int(sys.argv[1]), sys.argv[2], sys.argv[3]


async def main():
    options = {"port": port, "username": user, "client_keys": [key], "known_hosts": None, "config": None}
    async with asyncssh.connect("127.0.0.1", **options) as connection, connection.start_sftp_client() as sftp:

        async def write(path, flags, text, offset=None):
            async with sftp.open(path, flags) as file:
                await file.write(text, *([] if offset is None else [offset]))

        async def read(path):
            async with sftp.open(path) as file:
                return await file.read()

        async def size(path):
            return (await sftp.lstat(path)).size

        async def names(path):
            return sorted(name for name in await sftp.listdir(path) if name not in (".", ".."))

        async def rewrite(path, text):
            await write(path, asyncssh.FXF_WRITE | asyncssh.FXF_TRUNC, text)

        actions = {
            "mkdir": sftp.mkdir,
            "rmdir": sftp.rmdir,
            "put": lambda path, text: write(path, "w", text),
            "create": lambda path, text: write(path, "x", text),
            "rewrite": rewrite,
            "patch": lambda path, text: write(path, "r+", text, 2),
            "append": lambda path, text: write(path, "a", text),
            "truncate": lambda path, size: sftp.truncate(path, int(size)),
            "get": read,
            "rm": sftp.remove,
            "rename": sftp.rename,
            "replace": sftp.posix_rename,
            "symlink": sftp.symlink,
            "readlink": sftp.readlink,
            "lstatSize": size,
            "chmod": lambda path, mode: sftp.chmod(path, int(mode, 8)),
            "utime": lambda path, time: sftp.utime(path, (int(time), int(time))),
            "list": names,
        }
        for name, *args in json.load(sys.stdin):
            try:
                result = await actions[name](*args) if name in actions else "-"
                print(json.dumps(["ok", result if isinstance(result, (str, int, list)) else None]))
            except (asyncssh.SFTPError, OSError):
                print(json.dumps(["fails"]))


asyncio.run(main())
