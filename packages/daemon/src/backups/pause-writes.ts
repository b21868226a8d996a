import type { BackupSettings } from '@innkeeper/contract/definitions/backup-settings'
import { abortable } from '../concurrency/timeout.ts'
import type { Console } from '../console/console.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'

interface Deps {
  readonly server: {
    readonly id: string
    readonly console: Pick<Console, 'say' | 'listen'>
    send(command: string): void
  }
  readonly patterns: PatternMatcher
  readonly signal: AbortSignal
}

/**
 * Sends the commands after which a running server does not change its files, and waits for the line that confirms it.
 * Returns whether it was confirmed. The caller must send the commands `after`, whatever happens.
 */
export async function pauseWrites(
  { before, waitFor, timeout }: BackupSettings,
  { server, patterns, signal }: Deps,
): Promise<boolean> {
  const name = `${server.id}/backup`
  const confirmed = Promise.withResolvers<boolean>()
  using cleanup = new DisposableStack()
  cleanup.defer(() => patterns.watch(name, []))
  cleanup.defer(server.console.listen((_, data) => patterns.push(name, data)))
  if (waitFor) {
    const [onMatch, onDisabled] = [() => confirmed.resolve(true), () => confirmed.resolve(false)]
    patterns.watch(name, [{ pattern: waitFor, onMatch, onDisabled }])
  } else confirmed.resolve(true)
  for (const command of before) server.send(command)
  const timer = setTimeout(() => confirmed.resolve(false), timeout * 1_000)
  return await abortable(confirmed.promise, signal).finally(() => clearTimeout(timer))
}
