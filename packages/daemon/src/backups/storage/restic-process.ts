import type { ChildProcess } from 'node:child_process'
import { setPriority } from 'node:os'
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { parseJsonOrUndefined } from '@innkeeper/contract/text/parse-json'
import type { ResticExit } from './restic-errors.ts'

export const cancelTimeoutMs = 10_000
/** The last lines of an error. */
const maxErrorBytes = 4_096

/** A line of its JSON output. */
export type ResticMessage = Readonly<Record<string, unknown>>

interface ExitListeners {
  /** Receives the end of its error output after each line. */
  readonly onError?: (stderr: string) => void
  /** Receives messages that are not about the end, such as those about files that cannot be read. */
  readonly onMessage?: ((message: ResticMessage) => void) | undefined
}

/** It may have ended already. */
export function lowerPriority({ pid }: ChildProcess, priority: number): void {
  try {
    if (pid !== undefined) setPriority(pid, priority)
  } catch (error) {
    if (
      !['ESRCH', 'EACCES', 'EPERM'].includes(
        (error as NodeJS.ErrnoException & { info?: { code?: string } }).info?.code ?? '',
      )
    )
      throw error
  }
}

/** Ends the process on abort, first so that it can remove its lock. Its error output is text, and JSON with some versions. */
export async function readExit(
  child: ChildProcess,
  signal: AbortSignal,
  { onError = () => {}, onMessage = () => {} }: ExitListeners = {},
): Promise<ResticExit> {
  let stderr = ''
  const lines = child.stderr && createInterface({ input: child.stderr, crlfDelay: Number.POSITIVE_INFINITY })
  lines?.on('line', (line) => {
    const message = messageIn(line)
    const isExit = message?.message_type === 'exit_error'
    if (message && !isExit) {
      onMessage(message)
      return
    }
    const text = isExit ? String(message.message) : line
    stderr = `${stderr}${text}\n`.slice(-maxErrorBytes)
    onError(stderr)
  })
  let timer: NodeJS.Timeout | undefined
  const end = () => {
    child.kill('SIGINT')
    timer = setTimeout(() => child.kill('SIGKILL'), cancelTimeoutMs)
  }
  signal.addEventListener('abort', end, { once: true })
  if (signal.aborted) end()
  const exit = new Promise<ResticExit>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, killedBy) => resolve({ code, signal: killedBy, stderr }))
  })
  return await exit.finally(() => {
    signal.removeEventListener('abort', end)
    clearTimeout(timer)
  })
}

/** An error of a target after which restic waits and tries again. */
interface Retry {
  readonly waitMs: number
  readonly reason: string
}

/** The last retry that restic printed, for example `Save(<data/0a>) returned error, retrying after 1m2.3s: <reason>`. */
export function lastRetryIn(stderr: string): Retry | undefined {
  const marker = 'retrying after '
  const at = stderr.lastIndexOf(marker)
  const text = stderr.slice(at + marker.length)
  const end = text.indexOf(': ')
  if (at === -1 || end === -1) return undefined
  const match = /^(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?$/.exec(text.slice(0, end))
  if (!match) return undefined
  const [hours, minutes, seconds, ms] = match.slice(1).map((part) => Number(part ?? 0))
  const waitMs = (((hours ?? 0) * 60 + (minutes ?? 0)) * 60 + (seconds ?? 0)) * 1000 + (ms ?? 0)
  return { waitMs, reason: (text.slice(end + 2).split('\n')[0] ?? '').trim() }
}

/** Lines that are not JSON are for people, and the last one of a process that was ended may be incomplete. */
export async function readMessages(
  output: Readable | null,
  onMessage: (message: ResticMessage) => void,
): Promise<void> {
  if (!output) return
  for await (const line of createInterface({ input: output, crlfDelay: Number.POSITIVE_INFINITY })) {
    const parsed = /^\s*[[{]/.test(line) ? (parseJsonOrUndefined(line) ?? []) : []
    for (const message of Array.isArray(parsed) ? parsed : [parsed]) onMessage(message as ResticMessage)
  }
}

/** Newer versions print their errors as JSON, too. */
function messageIn(line: string): ResticMessage | undefined {
  return line.startsWith('{"message_type":') ? (parseJsonOrUndefined(line) as ResticMessage | undefined) : undefined
}
