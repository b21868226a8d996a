import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { promisify } from 'node:util'
import { openFileLimit, readProcessLimits } from '../installation/open-files.ts'
import { type Check, type CheckResult, getResults } from './checks.ts'

const gibibyte = 1024 ** 3
const oldestNode = [24, 11] as const
/** What the units of the packages set. */
const openFiles = 65_536

export function nodeVersionCheck(version = process.versions.node): Check {
  const name = 'nodejs'
  const { ok, failed } = getResults(name)
  return {
    name,
    async run() {
      const [major = 0, minor = 0] = version.split('.').map(Number)
      const [oldestMajor, oldestMinor] = oldestNode
      if (major > oldestMajor || (major === oldestMajor && minor >= oldestMinor)) return ok(`Node.js ${version}`)
      const message = `Node.js ${version} is too old: Innkeeper needs ${oldestNode.join('.')} or newer.`
      return failed(message, 'Use the Node.js that comes with Innkeeper.')
    },
  }
}

/** `limits` returns the content of /proc/self/limits. */
export function openFilesCheck(limits = readProcessLimits): Check {
  const name = 'open-files'
  const { ok, warning } = getResults(name)
  return {
    name,
    async run() {
      const limit = openFileLimit(await limits()) ?? 0
      const text = Number.isFinite(limit) ? limit : 'Any number of'
      if (limit >= openFiles) return ok(`${text} files may be open at the same time.`)
      return warning(
        `Only ${text} files may be open at the same time: too few for many servers and viewers.`,
        `Set LimitNOFILE=${openFiles} in the service. A service that has it is not affected by the limit of this terminal.`,
      )
    },
  }
}

interface FileSystem {
  readonly bsize: number
  readonly blocks: number
  readonly bfree: number
  readonly bavail: number
  readonly files: number
  readonly ffree: number
}

/** Space and inodes where the data folder is, or will be. */
export function diskCheck(dataDir: string, stat: (path: string) => Promise<FileSystem> = statfs): Check {
  return {
    name: 'disk-space',
    async run() {
      const folder = existingFolder(dataDir)
      const found = await stat(folder)
      return [getSpace(found, folder), getInodes(found, folder)]
    },
  }
}

function getSpace({ bsize, blocks, bfree, bavail }: FileSystem, folder: string): CheckResult {
  const { ok, warning, failed } = getResults('disk-space')
  const [free, total] = [bavail * bsize, (blocks - bfree + bavail) * bsize]
  const message = `${(free / gibibyte).toFixed(1)} of ${(total / gibibyte).toFixed(1)} GiB are free at ${folder}.`
  const advice = 'Delete files or backups, or enlarge the disk.'
  if (free < gibibyte) return failed(message, advice)
  return free < total / 10 ? warning(message, advice) : ok(message)
}

function getInodes({ files, ffree }: FileSystem, folder: string): CheckResult {
  const { ok, warning, failed } = getResults('inodes')
  // Some file systems, such as Btrfs, create inodes as they are needed.
  if (files === 0) return ok(`The file system at ${folder} has no limit of inodes.`)
  const message = `${Math.floor((ffree / files) * 100)} % of the inodes at ${folder} are free.`
  const advice = 'Delete small files: no more can be created when no inode is left, whatever space is free.'
  if (ffree < 1_000) return failed(message, advice)
  return ffree < files / 10 ? warning(message, advice) : ok(message)
}

/** The folder itself, or the nearest one above it that exists. */
export function existingFolder(path: string): string {
  return existsSync(path) ? path : existingFolder(dirname(path))
}

/** `path` is where the programs are looked up that know whether the clock is synchronized. */
export function clockCheck(path = '/usr/sbin:/usr/bin:/sbin:/bin'): Check {
  const name = 'clock'
  const { ok, warning } = getResults(name)
  const sources = [
    { file: 'timedatectl', args: ['show', '--property=NTPSynchronized', '--value'], isSynchronized: /^yes$/m },
    { file: 'chronyc', args: ['-n', 'tracking'], isSynchronized: /^Leap status\s*: (?!Not synchronised)/m },
  ] as const
  return {
    name,
    async run(signal) {
      const advice = 'Synchronize it, for example with: apt-get install chrony'
      for (const { file, args, isSynchronized } of sources) {
        const env = { PATH: path, LC_ALL: 'C' }
        const answer = await promisify(execFile)(file, [...args], { env, signal }).catch(() => undefined)
        if (answer === undefined || answer.stdout.trim() === '') continue
        if (isSynchronized.test(answer.stdout)) return ok('The clock is synchronized.')
        const message =
          'The clock is not synchronized. Requests between panel and nodes fail when it is 30 seconds off.'
        return warning(message, advice)
      }
      return warning('Nothing on this machine knows whether the clock is synchronized.', advice)
    },
  }
}
