import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as pause } from 'node:timers/promises'
import { freePort } from '@innkeeper/cli/testing/free-port'
import { deleteFormerCopy, getMove, type Move, moveServer } from '@innkeeper/contract/moves/moves'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { startServer } from '@innkeeper/contract/servers/node-servers'
import { installMissingPackages } from '../tools/debian-packages.ts'
import { FleetNode } from './fleet-node.ts'
import { run } from './programs.ts'
import type { Observation } from './servers.ts'
import { evaluate, summarize } from './statistics.ts'
import { writeIncompressibleFile } from './test-files.ts'
import { TestInstallation } from './test-installation.ts'

const rounds = 3
/** A goal is for 10 GiB; a smaller world for a quick look. */
const gibibytes = Number(process.env.BENCH_MOVE_GIB ?? 10)
const fileMebibytes = 8
const changedFiles = 13
const maxStoppedMs = 5_000
const goal = 1.3
/** Short beside what is measured. */
const pollMs = 5

/** Saves its world when it is stopped, as games do: the benchmark does so, and then lets it end. */
const command = `sh -c "trap 'while [ ! -e saved ]; do sleep 0.05; done; exit 0' TERM; rm -f saved; sleep 86400 & wait"`

/** How long a server stands still that is moved between two nodes of this machine, beside the second pass of rsync. */
export async function moves(): Promise<readonly Observation[]> {
  await installMissingPackages({ rsync: '/usr/bin/rsync' })
  const dir = await mkdtemp(join(tmpdir(), 'innkeeper-bench-move-'))
  try {
    await using installation = await TestInstallation.start()
    const [nodePort, sftpPort] = [await freePort(), await freePort()]
    const place = { name: 'far', folder: dir, nodePort, sftpPort, uids: '1950000000-1950001000', willBeKilled: false }
    await using node = await FleetNode.register(installation, place)
    node.start()
    const body = { name: 'world', type: 'bench', run: { command, stopCode: 15 }, data: {}, node: 0 }
    const { id } = await installation.send<{ id: string }>(createServer, { body })
    const getFolder = (dataDir: string) => join(dataDir, 'servers', id)
    const files = Math.round((gibibytes * 1024) / fileMebibytes)
    for (let at = 0; at < files; at++)
      await writeIncompressibleFile(join(getFolder(installation.dataDir), `region-${at}`), fileMebibytes)

    const copy = join(dir, 'copy')
    const [passes, stops]: [number[], number[]] = [[], []]
    const [rsyncs, syncedRsyncs]: [number[], number[]] = [[], []]
    for (let round = 0; round < rounds; round++) {
      const [from, to] = round % 2 === 0 ? [installation.dataDir, node.id] : [node.dataDir, 0]
      const source = getFolder(from)
      await installation.send(startServer, { params: { id }, query: { wait: 'true' } })
      await run('rsync', ['-a', '--delete', `${source}/`, copy])
      const changed = Array.from({ length: changedFiles }, (_, at) => `region-${(round * changedFiles + at) % files}`)
      const { passMs, stoppedMs } = await moveOnce(installation, id, to, async () => {
        for (const name of changed) await writeIncompressibleFile(join(source, name), fileMebibytes)
        await writeFile(join(source, 'saved'), '')
      })
      passes.push(passMs)
      stops.push(stoppedMs)
      // The former node keeps the files as they were when the server was stopped.
      const startedAt = performance.now()
      await run('rsync', ['-a', '--delete', `${source}/`, copy])
      rsyncs.push(performance.now() - startedAt)
      // A move ends when its files are on disk.
      await run(
        'sync',
        changed.map((name) => join(copy, name)),
      )
      syncedRsyncs.push(performance.now() - startedAt)
      await installation.send(deleteFormerCopy, { params: { id } })
      await untilDeleted(installation, id)
    }
    return observations({ passes, stops, rsyncs, syncedRsyncs })
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

/** Moves the server. `save` stands for the game, which writes its world when it receives the signal to stop. */
async function moveOnce(
  installation: TestInstallation,
  id: string,
  node: number,
  save: () => Promise<void>,
): Promise<{ readonly passMs: number; readonly stoppedMs: number }> {
  await untilStarted(installation, id, node)
  await until(installation, id, (state) => state === 'stopping')
  await save()
  await until(installation, id, (state) => state !== 'stopping')
  const startedAt = performance.now()
  await until(installation, id, (state) => state !== 'changes')
  const passMs = performance.now() - startedAt
  const { stoppedMs = 0, error } = await until(installation, id, (state) => state === 'done' || state === 'failed')
  if (error) throw new Error(`the move failed: ${error.code}`)
  return { passMs, stoppedMs }
}

async function untilDeleted(installation: TestInstallation, id: string): Promise<void> {
  while ((await installation.send<Move>(getMove, { params: { id } })).backUntil !== undefined) await pause(100)
}

/** The node may not have connected yet. */
async function untilStarted(installation: TestInstallation, id: string, node: number): Promise<void> {
  for (let tries = 0; ; tries++) {
    try {
      return await installation.send(moveServer, { params: { id }, body: { node } })
    } catch (error) {
      if (tries > 100) throw error
    }
    await pause(500)
  }
}

/** Reads the state from the database: requests would take a good part of the time that is measured. */
async function until(
  installation: TestInstallation,
  id: string,
  isReached: (state: string | undefined) => boolean,
): Promise<Move> {
  using database = new DatabaseSync(join(installation.dataDir, 'panel.db'), { readOnly: true })
  const read = database.prepare('SELECT state FROM moves WHERE server_id = ?')
  while (!isReached(read.get(id)?.state as string | undefined)) await pause(pollMs)
  return await installation.send<Move>(getMove, { params: { id } })
}

type Times = Readonly<Record<'passes' | 'stops' | 'rsyncs' | 'syncedRsyncs', readonly number[]>>

function observations({ passes, stops, rsyncs, syncedRsyncs }: Times): Observation[] {
  const [pass, stop] = [summarize(passes).median, summarize(stops).median]
  const [rsync, syncedRsync] = [summarize(rsyncs).median, summarize(syncedRsyncs).median]
  const { ratio, isMet } = evaluate({ time: goal }, pass, rsync)
  const size = `${gibibytes} GiB with ${changedFiles * fileMebibytes} MiB changed`
  return [
    {
      name: `move: ${size}, standing still`,
      isGoalMet: stop <= maxStoppedMs,
      details: `${(stop / 1000).toFixed(2)} s, goal ≤ ${maxStoppedMs / 1000} s`,
    },
    {
      name: `move: ${size}, second pass`,
      isGoalMet: isMet,
      details: `${pass.toFixed(0)} ms, rsync ${rsync.toFixed(0)} ms: ${ratio.toFixed(2)} ×, goal ≤ ${goal} ×`,
    },
    {
      name: `move: ${size}, second pass beside rsync with its files on disk`,
      isGoalMet: evaluate({ time: goal }, pass, syncedRsync).isMet,
      details: `${pass.toFixed(0)} ms, rsync ${syncedRsync.toFixed(0)} ms: ${(pass / syncedRsync).toFixed(2)} ×`,
    },
  ]
}
