import { setPriority } from 'node:os'
import type { BackupVerification } from '@innkeeper/contract/backups/backups'
import { findBackupSettings } from '@innkeeper/contract/definitions/backup-settings'
import { type ConsoleEncoding, findKnownEncoding } from '@innkeeper/contract/definitions/console-encodings'
import {
  findEnvironmentType,
  findReadyPattern,
  getEnvironment,
  getLimits,
  LimitSettings,
  type ServerDefinition,
} from '@innkeeper/contract/definitions/definition'
import { getDockerFields } from '@innkeeper/contract/definitions/docker'
import { formatReason } from '@innkeeper/contract/errors/reasons'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { patternProblem } from '@innkeeper/contract/text/pattern'
import { withTimeout } from '../concurrency/timeout.ts'
import { outputDecoder } from '../console/encodings.ts'
import type { Exit, Run } from '../processes/run.ts'
import { stepNotForCopies } from '../servers/actions/start-copy.ts'
import type { BackupTools } from './backup-access.ts'
import { readDefinition } from './restore-backup.ts'
import type { StoredBackup } from './storage/backup-index.ts'
import type { TestBootFiles } from './test-boots.ts'

/** Nice value of a copy: games come first. */
const copyPriority = 10
/** Free disk space and memory that a copy leaves to others. */
const reservedBytes = 1024 ** 3
const reservedMemory = 256 * 1024 ** 2
/** What a server without a memory limit is assumed to need. */
const assumedMemory = 1024 ** 3
/** Time until the exit of a killed copy must be reported. */
const endTimeoutMs = 30_000
/** The end of the output that the console shows when a copy does not start. */
const tailBytes = 2_048
const tailLines = 20

/** A copy that can be started. */
export interface BootPlan {
  readonly definition: ServerDefinition
  readonly readyPattern: string
  readonly encoding: ConsoleEncoding | undefined
}

/** How a copy is started from a backup; a text says why none is started. */
export async function planTestBoot(
  tools: BackupTools,
  { backup, bytes }: { readonly backup: StoredBackup; readonly bytes: number },
  signal: AbortSignal,
): Promise<BootPlan | string> {
  const { server, testBoots } = tools
  if (backup.definitionSnapshot === undefined) return formatReason('noDefinition')
  const stored = await readDefinition(tools, backup, signal)
  const readyPattern = findReadyPattern(stored.run)
  if (readyPattern === undefined || patternProblem(readyPattern) !== undefined) return formatReason('noReadyPattern')
  if (findBackupSettings(stored)?.boot === false) return formatReason('bootOffInDefinition')
  const environment = getEnvironment(stored)
  const type = findEnvironmentType(environment)
  const disabled = await testBoots.disabledReason(type)
  if (disabled !== undefined) return disabled
  if (type === 'docker' && Object.keys(getDockerFields(environment).bindings).length > 0)
    return formatReason('otherFolders')
  const step = stepNotForCopies(stored)
  if (step !== undefined) return formatReason('stepNeedsNetwork', { step })
  // Never more than the server may use now.
  const current = server.definition.value
  const limits = getLimits(getEnvironment(current), current.data)
  const memory = limits.memory === undefined ? assumedMemory : limits.memory * 1024 ** 2
  if (testBoots.freeMemory < memory + reservedMemory) return formatReason('lowMemory')
  if ((await testBoots.freeBytes()) < bytes + reservedBytes) return formatReason('lowDisk')
  return {
    definition: { ...stored, environment: { ...environment, limits: LimitSettings.parse(limits) } },
    readyPattern,
    encoding: findKnownEncoding(stored.run),
  }
}

type BootResult = Pick<BackupVerification, 'bootedInMs' | 'bootError' | 'notBooted'>

/** Without the engine or the image, nothing is known about the backup. */
const unavailable: ReadonlySet<string> = new Set(['ErrDockerNotSupported', 'ErrImageUnavailable'])

/**
 * Starts a copy of the server from restored files, waits until it is ready and kills it. The output of a copy that does
 * not become ready is on the console of the server.
 */
export async function testBoot(
  tools: BackupTools,
  copy: Pick<TestBootFiles, 'directory' | 'owner'>,
  plan: BootPlan,
  signal: AbortSignal,
): Promise<BootResult> {
  const { server, testBoots } = tools
  const tail = new Tail()
  const timeout = new AbortController()
  const ms = testBoots.bootTimeoutMs
  const timer = setTimeout(
    () => timeout.abort(notBooted(formatReason('notReadyInTime', { seconds: Math.round(ms / 1_000) }))),
    ms,
  )
  const ending = AbortSignal.any([signal, timeout.signal])
  const begin = performance.now()
  try {
    await using started = new AsyncDisposableStack()
    const { definition } = plan
    const run = await server.startCopy({ ...copy, definition, say: (line) => tail.add(`${line}\n`), signal: ending })
    started.defer(() => endCopy(run))
    await untilReady(tools, run, { pattern: plan.readyPattern, encoding: plan.encoding, tail, signal: ending })
    return { bootedInMs: Math.round(performance.now() - begin) }
  } catch (error) {
    signal.throwIfAborted()
    if (!(error instanceof Refusal)) throw error
    if (unavailable.has(error.code)) return { notBooted: error.message }
    const reported = error.code === 'ErrBackupNotBooted' ? error : notBooted(error.message, error)
    server.console.say(reported.message)
    for (const line of tail.lines) server.console.say(`Copy: ${line}`)
    return { bootError: toEnvelope(reported).error }
  } finally {
    clearTimeout(timer)
  }
}

function notBooted(reason: string, cause?: Error): Refusal {
  return new Refusal('ErrBackupNotBooted', { reason }, { cause })
}

interface WaitOptions {
  readonly pattern: string
  readonly encoding: ConsoleEncoding | undefined
  readonly tail: Tail
  readonly signal: AbortSignal
}

/** Waits for the line that matches the ready pattern. Throws ErrBackupNotBooted when the process ends before. */
async function untilReady(
  { server, patterns }: Pick<BackupTools, 'server' | 'patterns'>,
  run: Run,
  { pattern, encoding, tail, signal }: WaitOptions,
): Promise<void> {
  const name = `${server.id}/copy`
  const ready = Promise.withResolvers<void>()
  const onDisabled = () => ready.reject(notBooted(formatReason('slowReadyPattern')))
  patterns.watch(name, [{ pattern, onMatch: () => ready.resolve(), onDisabled }])
  using cleanup = new DisposableStack()
  cleanup.defer(() => patterns.watch(name, []))
  const onAbort = () => ready.reject(signal.reason)
  signal.addEventListener('abort', onAbort)
  cleanup.defer(() => signal.removeEventListener('abort', onAbort))
  if (signal.aborted) onAbort()
  const decoder = outputDecoder(encoding)
  run.follow(0, (data, from) => {
    const text = decoder.push(data)
    tail.add(text)
    patterns.push(name, text)
    run.acknowledge(from + data.length)
  })
  lowerPriority(run)
  void run.exited.then((exit) => ready.reject(notBooted(exitReason(exit))))
  await ready.promise
}

const exitReason = ({ code, signal }: Exit) =>
  signal === null ? formatReason('endedWithCode', { code: code ?? '?' }) : formatReason('endedBySignal', { signal })

async function endCopy(run: Run): Promise<void> {
  await run.kill()
  // If the keeper or the engine has exited, the exit of the copy is not reported.
  const error = () => new Error('the exit of a copy of a server was not reported')
  await withTimeout(run.exited, { ms: endTimeoutMs, error }).finally(() => run.release())
}

/** It may have ended already, and the engine may be on another machine. */
function lowerPriority({ process: { pid } }: Run): void {
  if (pid <= 0) return
  try {
    setPriority(pid, copyPriority)
  } catch (error) {
    if ((error as { info?: { code?: string } }).info?.code !== 'ESRCH') throw error
  }
}

/** The end of a text. */
class Tail {
  #text = ''

  add(data: Uint8Array | string): void {
    const text = typeof data === 'string' ? data : Buffer.from(data).toString()
    this.#text = (this.#text + text).slice(-tailBytes)
  }

  get lines(): readonly string[] {
    // A terminal program prints control characters.
    const lines = this.#text.split(/[\r\n]+/).map((line) => line.replaceAll(/\p{Cc}/gu, '').trim())
    return lines.filter((line) => line !== '').slice(-tailLines)
  }
}
