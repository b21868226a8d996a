import { expect, test } from 'vitest'
import { exists, isForTests, type Source, sourceOf, sources } from './sources.ts'

/**
 * A path that someone typed becomes a SafePath in `files/`, and only that folder opens files below a server's folder.
 * Others in the daemon that need the file system are listed here, with what they do there. None of them may join a
 * path that came from outside.
 */
const otherUses: Readonly<Record<string, string>> = {
  'packages/daemon/src/daemon.ts': 'the socket that the node listens on',
  'packages/daemon/src/keeper/': 'a separate process with its run folder and /proc',
  'packages/daemon/src/proc/': 'what /proc says of processes',
  'packages/daemon/src/network/ports-in-use.ts': 'what /proc says of ports',
  'packages/daemon/src/runtimes/running-programs.ts': 'what /proc says of running programs',
  'packages/daemon/src/statistics/disk-traffic.ts': 'what /proc says of disk traffic',
  'packages/daemon/src/statistics/sampler.ts': 'what /proc says of processes',
  'packages/daemon/src/servers/requirements.ts': 'whether a program is on the PATH',
  'packages/daemon/src/environments/locate-program.ts': 'where on the PATH a program is',
  'packages/daemon/src/archives/seven-zip/seven-zip-worker.ts': 'an archive, through a descriptor that is open already',
  'packages/daemon/src/isolation/':
    'control groups, which user each server is, and the modes of the data folder itself',
  'packages/daemon/src/environments/docker/engine.ts': 'whether an engine has a socket',
  'packages/daemon/src/environments/docker/docker.ts':
    'who owns the folder of a server, and whether the node has programs for it',
  'packages/daemon/src/environments/docker/log-checkpoint.ts': 'log checkpoints of containers, in files named by runs',
  'packages/daemon/src/console/log.ts': 'the console log, in a folder named by the id of the server',
  'packages/daemon/src/console/history.ts': 'the console log, in a folder named by the id of the server',
  'packages/daemon/src/statistics/bucket-file.ts': 'the statistics, in a file named by the id of the server',
  'packages/daemon/src/lifecycle/state-file.ts': 'the state of a server, in a file named by its id',
  'packages/daemon/src/uploads/': 'uploads on their way, in files named by ids of ours, outside the folders of servers',
  'packages/daemon/src/backups/restic.ts': 'the folder of the repository and its key',
  'packages/daemon/src/backups/backup-index.ts': 'what is known of backups, in files named by the id of the server',
  'packages/daemon/src/backups/job-markers.ts': 'running backup jobs, in files named by ids of ours',
  'packages/daemon/src/backups/backups.ts': 'which servers have a file of backups',
  'packages/daemon/src/servers/definitions.ts': 'the definitions, in files named by the id of the server',
  'packages/daemon/src/fs/': 'files of the node itself, written atomically or read if they exist',
  'packages/daemon/src/tasks/': 'what tasks did, in files named by the id of the server and digests of ours',
}

/** A file of the daemon that could open anything. */
function opensFiles(source: Source): string[] {
  if (isForTests(source.path) || source.path.startsWith('packages/daemon/src/files/')) return []
  if (Object.keys(otherUses).some((place) => source.path.startsWith(place))) return []
  return source.imports
    .filter(({ from, isType }) => !isType && /^(node:)?fs(\/promises)?$/.test(from))
    .map(
      ({ from, start }) =>
        `${source.at(start)} imports '${from}': go through packages/daemon/src/files, or, if no path of a server or person comes near it, list the file in checks/server-files.test.ts with its reason`,
    )
}

test("only files/ accesses files in a server's folder", () => {
  expect(sources('packages/daemon/src/**/*.ts').flatMap(opensFiles)).toEqual([])
})

test('the list of exceptions names existing files', () => {
  expect(Object.keys(otherUses).filter((path) => !exists(path))).toEqual([])
})

test('the check finds a new file that accesses files', () => {
  const source = sourceOf('packages/daemon/src/operations/unpack.ts', "import { open } from 'node:fs/promises'")

  expect(opensFiles(source)).toHaveLength(1)
})
