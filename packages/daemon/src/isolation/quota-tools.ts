import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { ignoreErrors } from '../errors/error-code.ts'
import type { DirHandle } from '../files/path/dir-handle.ts'

const trustedPath = '/usr/sbin:/usr/bin:/sbin:/bin'
const toolTimeoutMs = 60_000
/** A line for each project of a file system; there may be other ones than those of servers. */
const maxOutputBytes = 64 * 1024 ** 2
const namesPerCall = 500

/** Space that the files of a project use, by the id of the project. */
export type ProjectUsage = ReadonlyMap<number, number>

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
export async function assertToolsExist(): Promise<void> {
  for (const tool of ['setquota', 'repquota', 'chattr', 'lsattr']) {
    await run(tool, ['-V']).catch((error: unknown) => {
      // Some of them only print their version with an error.
      if (error instanceof Error && error.message.endsWith('is missing')) throw error
    })
  }
}

/** Sets the hard limit of a project; 0 for none. */
export async function setProjectLimit(mountPoint: string, project: number, bytes: number): Promise<void> {
  const kibibytes = Math.ceil(bytes / 1024)
  await run('setquota', ['-P', String(project), '0', String(kibibytes), '0', '0', mountPoint])
}

export async function readProjectUsage(mountPoint: string): Promise<ProjectUsage> {
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
export async function readProject(folder: DirHandle): Promise<number | undefined> {
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
export async function setTreeProject(folder: DirHandle, project: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted()
  await setFolderProject(folder, project)
  const entries = (await folder.entries()).map((entry) => ({ entry, name: String(entry.name) }))
  const files = entries.filter(({ entry, name }) => entry.isFile() && Buffer.from(name).equals(entry.name))
  for (let at = 0; at < files.length; at += namesPerCall) {
    const names = files.slice(at, at + namesPerCall).map(({ name }) => `./${name}`)
    // Some of them may be gone meanwhile.
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
