import { expect, test } from 'vitest'
import { exists, getSource, isForTests, type Source, sources } from './sources.ts'

/**
 * Only `files/` accesses files in a server's folder, and validates paths of users as SafePath. These other files of the daemon
 * use the file system for the given purpose, and must not use paths of users or servers.
 */
const exceptions: Readonly<Record<string, string>> = {
  'packages/daemon/src/daemon.ts': 'the socket that the node listens on',
  'packages/daemon/src/keeper/': 'a separate process with its run folder and /proc',
  'packages/daemon/src/proc/': 'processes in /proc',
  'packages/daemon/src/network/ports-in-use.ts': 'ports in /proc',
  'packages/daemon/src/environments/locate-program.ts': 'the location of a program on the PATH',
  'packages/daemon/src/archives/seven-zip/seven-zip-worker.ts': 'an archive, through an open file descriptor',
  'packages/daemon/src/isolation/': 'control groups, users of servers, and modes of the data folder',
  'packages/daemon/src/environments/docker/engine.ts': 'whether an engine has a socket',
  'packages/daemon/src/environments/docker/docker.ts':
    'the owner of the folder of a server, programs of the node, and scripts of containers',
  'packages/daemon/src/environments/docker/folders.ts': 'the mounts of a container',
  'packages/daemon/src/environments/docker/usage.ts': 'control groups of containers',
  'packages/daemon/src/environments/docker/log-checkpoint.ts': 'log checkpoints of containers, in files named by runs',
  'packages/daemon/src/console/log.ts': 'the console log, in a folder named by the id of the server',
  'packages/daemon/src/console/history.ts': 'the console log, in a folder named by the id of the server',
  'packages/daemon/src/statistics/bucket-file.ts': 'the statistics, in a file named by the id of the server',
  'packages/daemon/src/players/sessions/player-sessions.ts': 'who is online, in a file named by the id of the server',
  'packages/daemon/src/liveness/liveness-reports.ts':
    'reports about a server, in a folder named by the id of the server',
  'packages/daemon/src/lifecycle/state-file.ts': 'the state of a server, in a file named by its id',
  'packages/daemon/src/uploads/': 'unfinished uploads, in files named by generated ids, outside the folders of servers',
  'packages/daemon/src/backups/storage/restic.ts': 'the folder of the repository and its key',
  'packages/daemon/src/backups/storage/backup-index.ts':
    'the index of backups, in files named by the id of the server, and the list of these servers',
  'packages/daemon/src/backups/jobs/job-markers.ts': 'running backup jobs, in files named by generated ids',
  'packages/daemon/src/backups/open-backups.ts': 'the folder of backups',
  'packages/daemon/src/backups/test-boots.ts': 'the folder of the copies of servers, which are named by their id',
  'packages/daemon/src/backups/storage/access-files.ts': 'files with which restic reaches a target',
  'packages/daemon/src/backups/targets/target-store.ts': 'the list of targets',
  'packages/daemon/src/backups/targets/targets.ts': 'the folders of a target, named by its generated id',
  'packages/daemon/src/backups/schedule/prune-schedule.ts': 'the free space of the folder of backups',
  'packages/daemon/src/trash/':
    'records and folders of entries, named by generated ids, outside the folders of servers',
  'packages/daemon/src/servers/definitions.ts': 'the definitions, in files named by the id of the server',
  'packages/daemon/src/fs/': 'files of the node: atomic writes and reads',
  'packages/daemon/src/panel-link/node-events.ts': 'events that the panel has not accepted yet, in one file',
  'packages/daemon/src/panel-link/file-changes.ts': 'changes that the panel has not recorded yet, in one file',
  'packages/daemon/src/alerts/alert-file.ts': 'the channels for alerts, in one file',
  'packages/daemon/src/tasks/': 'the history of tasks, in files named by the id of the server and digests',
}

/** Imports of the file system in a file of the daemon. */
function fileSystemImports(source: Source): string[] {
  if (isForTests(source.path) || source.path.startsWith('packages/daemon/src/files/')) return []
  if (Object.keys(exceptions).some((place) => source.path.startsWith(place))) return []
  return source.imports
    .filter(({ from, isType }) => !isType && /^(node:)?fs(\/promises)?$/.test(from))
    .map(
      ({ from, start }) =>
        `${source.at(start)} imports '${from}': use packages/daemon/src/files. If the file uses no path of a server or user, add it to checks/server-files.test.ts with the reason`,
    )
}

test("only files/ accesses files in a server's folder", () => {
  expect(sources('packages/daemon/src/**/*.ts').flatMap(fileSystemImports)).toEqual([])
})

test('the list of exceptions names existing files', () => {
  expect(Object.keys(exceptions).filter((path) => !exists(path))).toEqual([])
})

test('the check finds a new file that accesses files', () => {
  const source = getSource('packages/daemon/src/operations/unpack.ts', "import { open } from 'node:fs/promises'")

  expect(fileSystemImports(source)).toHaveLength(1)
})
