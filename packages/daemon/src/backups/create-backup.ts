import { randomBytes } from 'node:crypto'
import { backupSettingsOf } from '@innkeeper/contract/backup-settings'
import type { Backup } from '@innkeeper/contract/backups'
import type { ServerDefinition } from '@innkeeper/contract/definition'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Logger } from 'pino'
import { rootPath } from '../files/path/safe-path.ts'
import type { Confinement } from '../isolation/isolation.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Server } from '../servers/server.ts'
import type { BackupIndex, StoredBackup } from './backup-index.ts'
import type { Copies } from './copies.ts'
import { excludeArguments } from './ignored-files.ts'
import type { JobContext } from './job-queue.ts'
import { pauseWrites } from './pause-writes.ts'
import { backupTimeoutMs, type Restic } from './restic.ts'
import { BackupOutput, backupArguments, definitionTag } from './snapshots.ts'
import { whileFrozen } from './while-frozen.ts'

/** What a job works with. */
export interface BackupTools {
  readonly server: Server
  readonly restic: Restic
  readonly index: BackupIndex
  readonly patterns: PatternMatcher
  readonly confinement: Confinement
  readonly copies: Copies
  /** How long the processes of a server stand still at most. */
  readonly maxFrozenMs: number
  readonly log: Logger
}

export type NewBackup = Pick<Backup, 'name' | 'origin' | 'author'>

/** The name of the definition in its snapshot. */
export const definitionName = 'definition.json'

/** Stores the definition and the files of a server, while it does not change them if it can be paused. */
export async function createBackup(tools: BackupTools, newBackup: NewBackup, job: JobContext): Promise<StoredBackup> {
  const { server, restic, index } = tools
  const { signal } = job
  const [id, createdAt, begin] = [randomBytes(8).toString('hex'), new Date().toISOString(), performance.now()]
  const request = { server: server.id, backup: id }
  const { definition } = server.definition
  await restic.prepare(signal)
  const stored = new BackupOutput()
  await restic.run([...backupArguments(request, [definitionTag]), '--stdin', '--stdin-filename', definitionName], {
    input: Buffer.from(JSON.stringify(definition)),
    onMessage: stored.read,
    signal,
  })
  const output = new BackupOutput(job.onProgress)
  const state = await whilePaused(tools, definition, job, () => backUpFiles(tools, definition, request, output, signal))
  const { summary, unreadFiles } = output
  const backup: StoredBackup = {
    ...newBackup,
    ...{ id, createdAt, server: state, isLocked: false },
    files: summary?.total_files_processed ?? 0,
    bytes: summary?.total_bytes_processed ?? 0,
    newBytes: summary?.data_added_packed ?? summary?.data_added ?? 0,
    durationMs: Math.round(performance.now() - begin),
    ...(unreadFiles > 0 && { unreadFiles }),
    ...(summary && { snapshot: summary.snapshot_id }),
    ...(stored.summary && { definitionSnapshot: stored.summary.snapshot_id }),
  }
  await index.add(backup)
  return backup
}

async function backUpFiles(
  { server, restic, confinement }: BackupTools,
  definition: ServerDefinition,
  request: { readonly server: string; readonly backup: string },
  output: BackupOutput,
  signal: AbortSignal,
): Promise<void> {
  await using files = await server.openFiles()
  const root = confinement.type === 'jail' ? '/files' : await files.workingDirectory(rootPath)
  const exclude = await excludeArguments(files, root, backupSettingsOf(definition)?.exclude ?? [])
  const run = restic.run([...backupArguments(request), '--one-file-system', ...exclude, '--', '.'], {
    mount: { directory: files.sharedPath, access: 'read' },
    onMessage: output.read,
    timeoutMs: backupTimeoutMs,
    // Of a running server files vanish while they are read.
    exitCodes: [0, 3],
    signal,
  })
  await run.catch((error: unknown) => {
    // restic refuses to store nothing.
    if (!(error instanceof Refusal && String(error.metadata.reason).includes('snapshot is empty'))) throw error
  })
}

/**
 * Runs the work while the server does not change its files, if possible: after the commands of its definition, or with its
 * processes frozen. Returns what the server did meanwhile.
 */
async function whilePaused(
  { server, patterns, maxFrozenMs }: BackupTools,
  definition: ServerDefinition,
  job: JobContext,
  work: () => Promise<void>,
): Promise<Backup['server']> {
  const before = server.status
  let state: Backup['server'] = before.state === 'offline' ? 'stopped' : 'running'
  using cleanup = new DisposableStack()
  const unsubscribe = server.onStatus((status) => {
    // It was started or installed, or ended and may start again.
    const isBusy = before.state === 'offline' && status.state !== 'offline'
    if (isBusy || status.running !== before.running) state = 'running'
  })
  cleanup.defer(unsubscribe)
  const settings = before.running ? backupSettingsOf(definition) : undefined
  if (!settings || settings.before.length === 0) {
    if (!before.running) await work()
    else {
      state = 'paused'
      const onThaw = () => {
        state = 'running'
      }
      await whileFrozen(server, { maxMs: maxFrozenMs, job, onThaw }, work)
    }
    return state
  }
  await job.mark({ after: settings.after })
  try {
    const isConfirmed = await pauseWrites(settings, { server, patterns, signal: job.signal })
    if (isConfirmed && server.status.running) state = 'paused'
    else server.console.say(`The server did not confirm within ${settings.timeout} s that its files are written`)
    await work()
    return state
  } finally {
    sendCommands(server, settings.after)
    await job.mark({ after: [] })
  }
}

/** Undoes a pause. A server that is offline, or was started since, does not need it. */
export function sendCommands(server: Pick<Server, 'send'>, commands: readonly string[]): void {
  try {
    for (const command of commands) server.send(command)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
  }
}
