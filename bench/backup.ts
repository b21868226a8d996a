import { mkdir, mkdtemp, readdir, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import {
  type Backup,
  type BackupJob,
  createBackup,
  listBackupJobs,
  listBackups,
  restoreBackup,
} from '@innkeeper/contract/backups/backups'
import { installMissingPackages } from '../tools/debian-packages.ts'
import { MemoryPeak } from './compare.ts'
import { ConsoleLatency } from './console-latency.ts'
import { run } from './programs.ts'
import type { Observation } from './servers.ts'
import { evaluate, summarize } from './statistics.ts'
import { writeHalfCompressibleFiles } from './test-files.ts'
import { TestInstallation } from './test-installation.ts'

const defaultRounds = 3
const files = 5_000
/** 5 GB, unless `--mib` says otherwise. */
const defaultMib = 5_120
/** Duration of a latency measurement: more than a hundred lines. */
const latencyMs = 6_000
/** Often enough for a page that shows the progress. */
const pollMs = 500

/** In milliseconds or MiB, one value per round. */
interface Measured {
  readonly first: number[]
  readonly firstAlone: number[]
  readonly second: number[]
  readonly restore: number[]
  readonly restoreAlone: number[]
  readonly console: number[]
  readonly consoleIdle: number[]
  readonly memory: number[]
}

/**
 * Backups of a server next to restic alone on the same files, alternately. Each creates its repository. `--mib=100 --rounds=1` makes
 * a short run, whose ratios say little: starting restic and deriving keys then takes most of the time.
 */
export async function backups(): Promise<readonly Observation[]> {
  await installMissingPackages({ restic: '/usr/bin/restic' })
  const { values } = parseArgs({
    options: { mib: { type: 'string' }, rounds: { type: 'string' } },
    strict: false,
  })
  const [mib, rounds] = [Number(values.mib ?? defaultMib), Number(values.rounds ?? defaultRounds)]
  const dir = await mkdtemp(join(tmpdir(), 'innkeeper-bench-backup-'))
  try {
    const world = join(dir, 'world')
    await writeHalfCompressibleFiles(world, files, Math.round((mib * 1024 ** 2) / files))
    const measured: Measured = {
      ...{ first: [], firstAlone: [], second: [], restore: [], restoreAlone: [] },
      ...{ console: [], consoleIdle: [], memory: [] },
    }
    for (let round = 0; round < rounds; round++) await measureRound(dir, world, round, measured)
    return report(measured, mib)
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

async function measureRound(dir: string, world: string, round: number, measured: Measured): Promise<void> {
  const alone = join(dir, `alone-${round}`)
  const measures = [() => measureInnkeeper(world, measured), () => measureAlone(alone, world, measured)]
  // The one that runs first has a colder cache.
  for (const measure of round % 2 === 0 ? measures : measures.toReversed()) await measure()
}

async function measureInnkeeper(world: string, measured: Measured): Promise<void> {
  await using installation = await TestInstallation.start()
  const moved = join(installation.folder, 'world')
  await rename(world, moved)
  try {
    {
      await using latency = await ConsoleLatency.start(installation)
      measured.consoleIdle.push((await latency.measureDuring(() => pause(latencyMs))).p99)
    }
    const memory = await MemoryPeak.watch(installation.pid)
    measured.first.push(await timeOfJob(installation, () => backUp(installation)))
    measured.second.push(await timeOfJob(installation, () => backUp(installation)))
    measured.restore.push(await timeOfJob(installation, () => restoreNewest(installation)))
    await formerFilesRemoved(installation)
    measured.memory.push((await memory.peak()).growthMiB)
    await using latency = await ConsoleLatency.start(installation)
    measured.console.push((await latency.measureDuring(() => backUpFor(installation, latencyMs))).p99)
  } finally {
    await rename(moved, world)
  }
}

async function measureAlone(repository: string, world: string, measured: Measured): Promise<void> {
  const restic = aloneIn(repository, world)
  const backup = async () => {
    // A first backup of Innkeeper creates the repository too.
    await restic('init', '--repository-version', '2')
    await restic('backup', '.')
  }
  measured.firstAlone.push(await readTime(backup))
  const target = `${repository}-restored`
  const restore = async () => {
    await restic('restore', '--target', target, 'latest')
    // Innkeeper ends a restore when the files are on the disk too.
    await writeToDisk()
  }
  measured.restoreAlone.push(await readTime(restore))
  for (const path of [repository, target]) await rm(path, { recursive: true })
}

/** restic without Innkeeper. */
function aloneIn(repository: string, folder: string) {
  const env = { PATH: process.env.PATH, RESTIC_PASSWORD: 'bench', RESTIC_REPOSITORY: repository }
  return async (...args: readonly string[]) => {
    await mkdir(repository, { recursive: true })
    await run('restic', ['--no-cache', '--quiet', ...args], { cwd: folder, env })
  }
}

async function readTime(work: () => Promise<unknown>): Promise<number> {
  await writeToDisk()
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}

/** The time from the request until the end that the job itself states, so that rare questions are enough. */
async function timeOfJob(installation: TestInstallation, start: () => Promise<BackupJob>): Promise<number> {
  await writeToDisk()
  const startedAt = Date.now()
  const { endedAt } = await readEnd(installation, await start())
  return Date.parse(endedAt ?? '') - startedAt
}

/** What was written before must not be written to the disk while something is measured. */
async function writeToDisk(): Promise<void> {
  await run('sync', [])
}

async function backUp(installation: TestInstallation): Promise<BackupJob> {
  return await installation.send<BackupJob>(createBackup, { params: { id: installation.server }, body: {} })
}

async function backUpFor(installation: TestInstallation, ms: number): Promise<void> {
  const deadline = performance.now() + ms
  while (performance.now() < deadline) await readEnd(installation, await backUp(installation))
}

async function restoreNewest(installation: TestInstallation): Promise<BackupJob> {
  const params = { id: installation.server }
  const [newest] = await installation.send<Backup[]>(listBackups, { params })
  const on = { ...params, backup: newest?.id }
  return await installation.send<BackupJob>(restoreBackup, { params: on, body: {} })
}

/** A restore removes the files that it replaced after its end, which must not slow down what is measured next. */
async function formerFilesRemoved({ folder }: TestInstallation): Promise<void> {
  while ((await readdir(folder)).some((name) => name.startsWith('.innkeeper-'))) await pause(pollMs)
}

async function readEnd(installation: TestInstallation, { id }: BackupJob): Promise<BackupJob> {
  for (;;) {
    const jobs = await installation.send<BackupJob[]>(listBackupJobs, { params: { id: installation.server } })
    const job = jobs.find((one) => one.id === id)
    if (job?.state === 'done') return job
    if (job?.state !== 'running' && job?.state !== 'waiting')
      throw new Error(`The job ended: ${job?.state} ${job?.error?.msg}`)
    await pause(pollMs)
  }
}

function report(measured: Measured, mib: number): Observation[] {
  const size = `${mib} MiB in ${files} files`
  const median = (values: readonly number[]) => summarize(values).median
  const inSeconds = (ms: number) => `${(ms / 1_000).toFixed(2)} s`
  const compared = (name: string, [ours, reference, goal]: [readonly number[], readonly number[], number]) => {
    const [mine, theirs] = [median(ours), median(reference)]
    const { ratio, isMet } = evaluate({ time: goal }, mine, theirs)
    const details = `${inSeconds(mine)}, alone ${inSeconds(theirs)}: ${ratio.toFixed(2)} ×, goal ≤ ${goal} ×`
    return { name: `backup: ${name}`, isGoalMet: isMet, details }
  }
  const [second, memory] = [median(measured.second), Math.max(...measured.memory)]
  return [
    compared(`first, ${size}`, [measured.first, measured.firstAlone, 1.15]),
    {
      name: 'backup: second without changes',
      isGoalMet: second <= 5_000,
      details: `${inSeconds(second)}, goal ≤ 5 s`,
    },
    compared('restore everything', [measured.restore, measured.restoreAlone, 1.15]),
    compared('console p99 during a backup, next to idle', [measured.console, measured.consoleIdle, 3]),
    {
      name: 'backup: growth of the daemon',
      isGoalMet: memory <= 32,
      details: `+${memory.toFixed(0)} MiB, goal ≤ 32 MiB`,
    },
  ]
}
