import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { errorMessage } from '@innkeeper/contract/errors/error-message'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import type { NoQuotasCode } from '@innkeeper/contract/nodes/nodes'
import { DirHandle } from '../files/path/dir-handle.ts'
import { type Mount, readMount } from './mounts.ts'
import {
  assertToolsExist,
  type ProjectUsage,
  readProject,
  readProjectUsage,
  setProjectLimit,
  setTreeProject,
} from './quota-tools.ts'
import { type IdRange, ServerIds } from './server-ids.ts'

/** Project ids that administrators hardly use themselves. */
const projectRange: IdRange = { first: 1_900_000_000, count: 1_000_000 }
/** The project of the probe, outside the range. */
const probeProject = projectRange.first - 1

const supportedTypes: readonly string[] = ['ext4', 'xfs']
const mountOptions: readonly string[] = ['prjquota', 'pquota']

interface Options {
  /** The folder that remembers the projects, and in which the file system is probed. */
  readonly dataDir: string
  readonly isRoot: boolean
}

/** Why a file system keeps no limits: a code for display with its values, and a sentence in English. */
export interface NoQuotas {
  readonly code: NoQuotasCode
  readonly reason: string
  readonly values?: Record<string, string>
}

/** Limits the disk space of servers with project quotas of the file system. Each server has a project of its own. */
export class ProjectQuotas {
  /** Why this file system keeps no limits; undefined when it does. */
  readonly missing: NoQuotas | undefined
  readonly #mountPoint: string
  readonly #ids: ServerIds
  #reading: Promise<ProjectUsage> | undefined

  private constructor(mountPoint: string, ids: ServerIds, missing: NoQuotas | undefined) {
    this.missing = missing
    this.#mountPoint = mountPoint
    this.#ids = ids
  }

  /** Finds out whether the file system of the data folder keeps limits of projects. */
  static async open({ dataDir, isRoot }: Options): Promise<ProjectQuotas> {
    const { mountPoint = '/', type = 'unknown', options = [] } = (await readMount(dataDir)) ?? {}
    const ids = new ServerIds(join(dataDir, 'projects.json'), projectRange, 'projects')
    if (!isRoot) return new ProjectQuotas(mountPoint, ids, { code: 'notRoot', reason: formatReason('notRoot') })
    const missing = noQuotasOn({ mountPoint, type, options }) ?? (await probe(dataDir, mountPoint))
    return new ProjectQuotas(mountPoint, ids, missing)
  }

  /** Whether a directory belongs to the project of a server. */
  async isAssigned(server: string, directory: string): Promise<boolean> {
    const project = this.#ids.assigned.get(server)
    if (project === undefined) return false
    await using folder = await DirHandle.open(directory)
    return (await readProject(folder)) === project
  }

  /** Makes a directory, with all that is in it and will be, part of the project of a server. */
  async assign(server: string, directory: string, signal: AbortSignal): Promise<void> {
    const project = this.#ids.assigned.get(server) ?? this.#ids.assign(server, new Set((await this.#usage()).keys()))
    await using folder = await DirHandle.open(directory)
    if ((await readProject(folder)) !== project) await setTreeProject(folder, project, signal)
  }

  /** Limits the space of a server; undefined for no limit. Does nothing for a server without a project. */
  async setLimit(server: string, bytes: number | undefined): Promise<void> {
    const project = this.#ids.assigned.get(server)
    if (project !== undefined) await setProjectLimit(this.#mountPoint, project, bytes ?? 0)
  }

  /** The space that the files of a server use; undefined for a server without a project. */
  async usedBytes(server: string): Promise<number | undefined> {
    const project = this.#ids.assigned.get(server)
    return project === undefined ? undefined : ((await this.#usage()).get(project) ?? 0)
  }

  /** Removes the limit of a deleted server and releases its project. */
  async forget(server: string): Promise<void> {
    if (!this.#ids.assigned.has(server)) return
    if (!this.missing) await this.setLimit(server, undefined)
    this.#ids.forget(server)
  }

  /** Reads the usage of all projects. Concurrent calls share one read. */
  async #usage(): Promise<ProjectUsage> {
    this.#reading ??= readProjectUsage(this.#mountPoint).finally(() => {
      this.#reading = undefined
    })
    return await this.#reading
  }
}

function noQuotasOn({ mountPoint, type, options }: Mount): NoQuotas | undefined {
  if (!supportedTypes.includes(type)) {
    const reason = `Innkeeper sets quotas on ext4 and XFS, and the data folder is on ${type}`
    return { code: 'fileSystem', reason, values: { type } }
  }
  if (mountOptions.some((option) => options.includes(option))) return undefined
  const reason = `the file system ${type} at ${mountPoint} is not mounted with the option prjquota`
  return { code: 'mountOption', reason, values: { mountPoint } }
}

/** Sets the project and limit of a new directory. Returns what does not work. */
async function probe(dataDir: string, mountPoint: string): Promise<NoQuotas | undefined> {
  const directory = await mkdtemp(join(dataDir, '.quota-test-'))
  try {
    await assertToolsExist()
    await using folder = await DirHandle.open(directory)
    await setTreeProject(folder, probeProject, new AbortController().signal)
    if ((await readProject(folder)) !== probeProject) throw new Error('a folder has no project')
    await setProjectLimit(mountPoint, probeProject, 1024 ** 2)
    await readProjectUsage(mountPoint)
    await setProjectLimit(mountPoint, probeProject, 0)
    return undefined
  } catch (error) {
    const message = errorMessage(error).slice(0, 500)
    return { code: 'failed', reason: message, values: { message } }
  } finally {
    await rm(directory, { recursive: true, force: true })
  }
}
