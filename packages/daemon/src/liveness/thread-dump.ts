import { stripControlSequences } from '@innkeeper/contract/text/control-sequences'
import { abortable } from '../concurrency/timeout.ts'
import type { Console } from '../console/console.ts'
import { getDisposition } from '../proc/process-details.ts'
import { type ProcessStat, sendSignal } from '../proc/process-stat.ts'
import { findExecutable } from '../proc/process-threads.ts'

const sigquit = 3
const marker = 'Full thread dump'
const maxChars = 262_144
/** How long a dump may take until its end, and how long nothing is printed after that. */
const maxMs = 5_000
const quietMs = 300

/**
 * Asks a JVM to print the stacks of its threads on its console, and returns them. Undefined when none of the processes is
 * one that can: others, also a JVM with `-Xrs`, would end by the signal.
 */
export async function readThreadDump(
  processes: readonly ProcessStat[],
  console: Pick<Console, 'listen'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const jvm = processes.find(isRunningJvm)
  if (!jvm) return undefined
  let text = ''
  const ended = Promise.withResolvers<void>()
  let quiet: NodeJS.Timeout | undefined
  using cleanup = new DisposableStack()
  cleanup.defer(() => clearTimeout(quiet))
  const stopListening = console.listen((_, data) => {
    text = append(text, Buffer.from(data).toString())
    if (!text.startsWith(marker)) return
    clearTimeout(quiet)
    quiet = setTimeout(ended.resolve, quietMs)
  })
  cleanup.defer(stopListening)
  const deadline = setTimeout(ended.resolve, maxMs)
  cleanup.defer(() => clearTimeout(deadline))
  sendSignal(jvm, sigquit)
  await abortable(ended.promise, signal)
  return text.startsWith(marker) ? stripControlSequences(text).trimEnd() : undefined
}

/** A process that is stopped would print only when it goes on. */
function isRunningJvm({ pid, state }: ProcessStat): boolean {
  const name = findExecutable(pid)
  return (
    name !== undefined &&
    /\/java(?: \(deleted\))?$/.test(name) &&
    state !== 'T' &&
    getDisposition(pid, sigquit) === 'handled'
  )
}

/** Before the dump only as much is kept as may be the beginning of the marker. */
function append(text: string, more: string): string {
  const whole = text + more
  const start = whole.indexOf(marker)
  return start < 0 ? whole.slice(-marker.length) : whole.slice(start, start + maxChars)
}
