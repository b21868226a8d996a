import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '@innkeeper/contract/errors/error-message'
import type { Capability, NodeIsolation } from '@innkeeper/contract/nodes/nodes'
import { Isolation } from '@innkeeper/daemon/isolation/isolation'
import type { UidRange } from '@innkeeper/daemon/isolation/uid-allocator'
import { type Check, type CheckResult, getResults } from './checks.ts'
import { existingFolder } from './machine-checks.ts'

interface Options {
  readonly dataDir: string
  readonly uids: UidRange | undefined
  readonly isRoot?: boolean
}

const seeDiskLimits = 'See "Quotas of the file system" in docs/disk-limits.md.'
const seeIsolation = 'See "Isolation" in docs/configuration.md.'

/** How servers are separated from each other: what a node would find out at its start. */
export function isolationCheck({ dataDir, uids, isRoot = process.getuid?.() === 0 }: Options): Check {
  const name = 'user-isolation'
  const { warning } = getResults(name)
  return {
    name,
    async run() {
      // Another user would find out something else, and its probe would move processes to other control groups.
      if (!isRoot) {
        const message = 'Only root can find out how servers are separated from each other.'
        return warning(message, `Run this as root, as Innkeeper should be. ${seeIsolation}`)
      }
      // A folder of its own on the same file system, so that the files of a running node are not changed.
      const parent = existingFolder(dataDir)
      const probeDir = await mkdtemp(join(parent, '.innkeeper-doctor-')).catch((error: unknown) => {
        if (error instanceof Error) return error
        throw error
      })
      if (probeDir instanceof Error) {
        const message = `No folder can be created in ${parent}: ${errorMessage(probeDir)}`
        return warning(message, 'Make the data folder writable, and free space on its disk.')
      }
      try {
        const isolation = await Isolation.open({ dataDir: existsSync(dataDir) ? dataDir : probeDir, probeDir, uids })
        const { abilities } = isolation
        isolation.close()
        return isolationResults(abilities)
      } finally {
        await rm(probeDir, { recursive: true, force: true })
      }
    },
  }
}

export function isolationResults(isolation: NodeIsolation): CheckResult[] {
  const { user, hiddenProcesses, privateTemporaryFolders, noNewPrivileges, limits } = isolation
  const found: readonly (readonly [string, Capability | undefined, string, string])[] = [
    ['user-isolation', user, 'Each server has its own user.', 'Servers can read the files of each other'],
    [
      'hidden-processes',
      hiddenProcesses,
      'Servers see only their own processes.',
      'Servers can read the command lines of other processes',
    ],
    [
      'temporary-folders',
      privateTemporaryFolders,
      'Each server has its own temporary folders and shared memory.',
      'Servers share /tmp, other temporary folders and shared memory',
    ],
    [
      'no-new-privileges',
      noNewPrivileges,
      'Servers cannot gain privileges.',
      'Servers could gain privileges through a faulty program of the system',
    ],
    ['memory-limits', limits.memory, 'Memory of servers can be limited.', 'Memory of servers is not limited'],
    ['cpu-limits', limits.cpu, 'CPU of servers can be limited.', 'CPU of servers is not limited'],
    ['process-limits', limits.processes, 'Processes of servers are limited.', 'Processes of servers are not limited'],
    ['disk-limits', limits.disk, 'Disk space of servers can be limited.', 'The file system does not limit servers'],
  ]
  return found.flatMap(([name, ability, kept, broken]): CheckResult[] => {
    if (!ability) return []
    if (ability.enforced) return [{ name, state: 'ok', message: kept }]
    const advice = name === 'disk-limits' ? seeDiskLimits : seeIsolation
    return [{ name, state: 'warning', message: `${broken}: ${ability.reason}.`, advice }]
  })
}
