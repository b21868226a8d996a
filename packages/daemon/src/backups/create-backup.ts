import { randomBytes } from 'node:crypto'
import { localTarget } from '@innkeeper/contract/backups/backup-targets'
import type { Backup } from '@innkeeper/contract/backups/backups'
import { findBackupSettings } from '@innkeeper/contract/definitions/backup-settings'
import type { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { rootPath } from '../files/path/safe-path.ts'
import type { Server } from '../servers/server.ts'
import type { BackupTools } from './backup-access.ts'
import { excludeArguments } from './ignored-files.ts'
import type { JobContext } from './jobs/job-queue.ts'
import { pauseWrites } from './pause-writes.ts'
import type { StoredBackup } from './storage/backup-index.ts'
import { backupTimeoutMs } from './storage/restic.ts'
import { BackupOutput, backupArguments, definitionTag, type SnapshotRequest } from './storage/snapshots.ts'
import type { StoredCopy } from './storage/stored-copies.ts'
import { copyToTargets, type Placement } from './targets/copy-to-targets.ts'
import type { Target } from './targets/repositories.ts'
import { findWarning, TargetAttempts } from './targets/target-attempts.ts'
import { whileFrozen } from './while-frozen.ts'

export type NewBackup = Pick<StoredBackup, 'name' | 'origin' | 'author' | 'idempotencyKey'>

/** Nice value of a backup before a restore, which runs at the same time and which people wait for. */
const safetyBackupPriority = 19

/** The name of the definition in its snapshot. */
export const definitionName = 'definition.json'

/**
 * Stores the definition and the files of a server, while it does not change them if it can be paused. The files are read
 * once, so that all targets have the same: what is stored in the folder of the node is copied to the others afterwards. A
 * target that fails does not affect the others.
 */
export async function createBackup(
  tools: BackupTools,
  newBackup: NewBackup,
  targets: readonly Target[],
  job: JobContext,
): Promise<StoredBackup> {
  const { server, index } = tools
  using _ = server.use.begin()
  const { signal } = job
  const [id, createdAt, begin] = [randomBytes(8).toString('hex'), new Date().toISOString(), performance.now()]
  const attempts = new TargetAttempts(tools)
  const priority = newBackup.origin === 'restore' ? safetyBackupPriority : undefined
  const stored = await storeSnapshots(tools, { targets, attempts }, { server: server.id, backup: id, priority }, job)
  const { summary, unreadFiles, unreadNames } = stored.output
  const copies = [...stored.copies, ...attempts.copies]
  const waiting = targets.filter((target) => !copies.some((copy) => copy.target === target.id))
  const { snapshot, definitionSnapshot } = copies.find(({ target }) => target === localTarget) ?? {}
  await index.add({
    ...newBackup,
    id,
    createdAt,
    server: stored.state,
    isLocked: false,
    files: summary?.total_files_processed ?? 0,
    bytes: summary?.total_bytes_processed ?? 0,
    newBytes: summary?.data_added_packed ?? summary?.data_added ?? 0,
    durationMs: Math.round(performance.now() - begin),
    ...(unreadFiles > 0 && { unreadFiles, unreadNames }),
    ...(snapshot !== undefined && { snapshot }),
    ...(definitionSnapshot !== undefined && { definitionSnapshot }),
    copies: [...copies, ...waiting.map((target) => ({ target: target.id, state: 'waiting' as const }))],
  })
  await copyToTargets({ server: server.id, index }, { targets: waiting, attempts }, signal)
  const warning = findWarning(attempts.failures) ?? incompleteWarning(stored)
  if (warning) job.warn(warning)
  const backup = await index.find(id)
  if (!backup) throw new Refusal('ErrBackupNotFound')
  return backup
}

/** What a backup lacks for another reason than that a running server deleted files; undefined if nothing. */
function incompleteWarning({ state, output }: StoredSnapshots): Refusal | undefined {
  const { unreadFiles, failedFiles, unreadNames } = output
  if (unreadFiles === 0 || (state === 'running' && failedFiles === 0)) return undefined
  const more = unreadFiles > unreadNames.length ? ', …' : ''
  return new Refusal('ErrBackupIncomplete', { count: unreadFiles, names: unreadNames.join(', ') + more })
}

interface StoreRequest extends SnapshotRequest {
  /** Nice value. */
  readonly priority: number | undefined
}

interface StoredSnapshots {
  readonly state: Backup['server']
  readonly copies: readonly StoredCopy[]
  readonly output: BackupOutput
}

/** Reads the files into the first target that works. If that is not the folder of the node, also into the others. */
async function storeSnapshots(
  tools: BackupTools,
  { targets, attempts }: Placement,
  request: StoreRequest,
  job: JobContext,
): Promise<StoredSnapshots> {
  const { server } = tools
  const { signal } = job
  const { definition } = server.definition.current
  const definitions = new Map<Target, string | undefined>()
  const addDefinition = async (target: Target) =>
    void definitions.set(target, await storeDefinition(target, request, definition, signal))
  const ready: Target[] = []
  for (const target of targets) {
    if (await attempts.try(target, () => target.restic.prepare(signal), signal)) ready.push(target)
  }
  // Before the pause, so that it is short.
  const [first] = ready
  if (first && !(await attempts.try(first, () => addDefinition(first), signal))) ready.shift()
  const outputs = new Map<Target, BackupOutput>()
  const state = await whilePaused(tools, definition, job, async () => {
    for (const target of ready) {
      const store = async () => {
        if (!definitions.has(target)) await addDefinition(target)
        outputs.set(target, await backUpFiles({ ...tools, restic: target.restic }, definition, request, job))
      }
      await attempts.try(target, store, signal)
      if (outputs.has(tools.local)) break
    }
  })
  const [output] = outputs.values()
  if (!output)
    throw [...attempts.failures.values()][0] ?? new Refusal('ErrBackupFailed', { reason: formatReason('noTarget') })
  const copies = [...outputs].map(([target, { summary }]): StoredCopy => {
    return {
      target: target.id,
      state: 'stored',
      ...(summary && { snapshot: summary.snapshot_id }),
      definitionSnapshot: definitions.get(target),
    }
  })
  return { state, copies, output }
}

async function storeDefinition(
  { restic }: Target,
  request: StoreRequest,
  definition: ServerDefinition,
  signal: AbortSignal,
): Promise<string | undefined> {
  const stored = new BackupOutput()
  await restic.run([...backupArguments(request, [definitionTag]), '--stdin', '--stdin-filename', definitionName], {
    input: Buffer.from(JSON.stringify(definition)),
    onMessage: stored.read,
    priority: request.priority,
    signal,
  })
  return stored.summary?.snapshot_id
}

async function backUpFiles(
  { server, restic, confinement }: BackupTools,
  definition: ServerDefinition,
  request: StoreRequest,
  { signal, onProgress }: JobContext,
): Promise<BackupOutput> {
  await using files = await server.openFiles()
  const root = confinement.type === 'jail' ? '/files' : await files.workingDirectory(rootPath)
  const output = new BackupOutput(root, onProgress)
  const exclude = await excludeArguments(files, root, findBackupSettings(definition)?.exclude ?? [])
  const run = restic.run([...backupArguments(request), '--one-file-system', ...exclude, '--', '.'], {
    mount: { directory: files.sharedPath, access: 'read' },
    onMessage: output.read,
    onFileError: output.readError,
    timeoutMs: backupTimeoutMs,
    // Of a running server files vanish while they are read.
    exitCodes: [0, 3],
    priority: request.priority,
    signal,
  })
  await run.catch((error: unknown) => {
    // restic refuses to store nothing.
    if (!(error instanceof Refusal && String(error.metadata.reason).includes('snapshot is empty'))) throw error
  })
  return output
}

/**
 * Runs the work while the server does not change its files, if possible: after the commands of its definition, or with its
 * processes frozen. Returns the state of the server during the work.
 */
async function whilePaused(
  { server, patterns, freezeMs }: BackupTools,
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
  const settings = before.running ? findBackupSettings(definition) : undefined
  if (!settings || settings.before.length === 0) {
    if (!before.running) await work()
    else {
      state = 'paused'
      const onThaw = () => {
        state = 'running'
      }
      await whileFrozen(server, { freezeMs, job, onThaw }, work)
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
