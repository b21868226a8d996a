import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { errorMessage } from '@innkeeper/contract/errors/error-message'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import type { NoQuotasCode } from '@innkeeper/contract/nodes/nodes'
import { ignoreErrors } from '../errors/error-code.ts'
import { DirHandle } from '../files/path/dir-handle.ts'
import { type Mount, readMount } from './mounts.ts'
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

const trustedPath = '/usr/sbin:/usr/bin:/sbin:/bin'
const toolTimeoutMs = 60_000
/** A line for each project of a file system; there may be other ones than those of servers. */
const maxOutputBytes = 64 * 1024 ** 2
const namesPerCall = 500

/** Space that the files of a project use, by the id of the project. */
type ProjectUsage = ReadonlyMap<number, number>

/** Runs a program of the packages e2fsprogs or quota. Rejects with what it printed. */
async function run(tool: string, args: readonly string[], cwd = '/'): Promise<string> {
  const options = { cwd, env: { PATH: trustedPath, LC_ALL: 'C' }, timeout: toolTimeoutMs, maxBuffer: maxOutputBytes }
  try {
    return (await promisify(execFile)(tool, args, options)).stdout
  } catch (cause) {
    const { code, stderr = '' } = cause as { code?: unknown; stderr?: string }
    if (code === 'ENOENT') throw new Error(`the program ${tool} is missing`, { cause })
    throw new Error(`${tool} failed: ${stderr.trim().slice(0, 200) || String(code)}`, { cause })
  }
}

/** Throws when a needed program is missing. */
async function assertToolsExist(): Promise<void> {
  for (const tool of ['setquota', 'repquota', 'chattr', 'lsattr']) {
    await run(tool, ['-V']).catch((error: unknown) => {
      // Some of them only print their version with an error.
      if (error instanceof Error && error.message.endsWith('is missing')) throw error
    })
  }
}

/** Sets the hard limit of a project; 0 for none. */
async function setProjectLimit(mountPoint: string, project: number, bytes: number): Promise<void> {
  const kibibytes = Math.ceil(bytes / 1024)
  await run('setquota', ['-P', String(project), '0', String(kibibytes), '0', '0', mountPoint])
}

async function readProjectUsage(mountPoint: string): Promise<ProjectUsage> {
  return parseProjectUsage(await run('repquota', ['-P', '-n', '-O', 'csv', mountPoint]))
}

/** Parses the output of `repquota -P -n -O csv`: `#1900000001,ok,ok,20,0,1024,,1,0,0,`, in KiB. */
export function parseProjectUsage(csv: string): ProjectUsage {
  const [head = '', ...lines] = csv.trim().split('\n')
  const column = head.split(',').indexOf('BlockUsed')
  if (column === -1) throw new Error('the output of repquota has no column BlockUsed')
  const rows = lines.map((line) => line.split(','))
  return new Map(
    rows.flatMap((fields): [number, number][] => {
      const [project, kibibytes] = [Number(fields[0]?.replace('#', '')), Number(fields[column])]
      return Number.isInteger(project) && Number.isFinite(kibibytes) ? [[project, kibibytes * 1024]] : []
    }),
  )
}

/** The project of a directory, if new files in it get the same one. */
async function readProject(folder: DirHandle): Promise<number | undefined> {
  const [project = '', flags = ''] = (await run('lsattr', ['-d', '-p', '.'], folder.sharedPath)).trim().split(/\s+/)
  return flags.includes('P') ? Number(project) : undefined
}

/** Sets the project of a directory, and that of everything that is created in it. */
async function setFolderProject(folder: DirHandle, project: number): Promise<void> {
  await run('chattr', ['-p', String(project), '+P', '.'], folder.sharedPath)
}

/**
 * Sets the project of a directory and of everything in it. Each program works in one directory, by names: they do not
 * follow links, so that a server cannot lead them to other files. Names that are not UTF-8 are left out.
 */
async function setTreeProject(folder: DirHandle, project: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await setFolderProject(folder, project)
  const entries = (await folder.entries()).map((entry) => ({ entry, name: String(entry.name) }))
  const files = entries.filter(({ entry, name }) => entry.isFile() && Buffer.from(name).equals(entry.name))
  for (let at = 0; at < files.length; at += namesPerCall) {
    const names = files.slice(at, at + namesPerCall).map(({ name }) => `./${name}`)
    // Some of them may have been removed since.
    await run('chattr', ['-f', '-p', String(project), ...names], folder.sharedPath).catch((error: unknown) => {
      if (!(error instanceof Error && /No such file|failed: \d+$/.test(error.message))) throw error
    })
  }
  for (const { entry } of entries.filter((candidate) => candidate.entry.isDirectory())) {
    const inner = await folder.openDir(entry.name).catch(ignoreErrors('ENOENT', 'ENOTDIR', 'ELOOP'))
    if (!inner) continue
    await using _ = inner
    await setTreeProject(inner, project, signal)
  }
}
