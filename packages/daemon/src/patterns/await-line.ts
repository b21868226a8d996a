import { abortable } from '../concurrency/timeout.ts'
import type { Console } from '../console/console.ts'
import type { PatternMatcher } from './pattern-matcher.ts'

export interface AwaitLineDeps {
  readonly server: {
    readonly console: Pick<Console, 'listen'>
    send(command: string): void
  }
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
  readonly signal: AbortSignal
}

interface Options {
  /** For the pattern matcher. */
  readonly name: string
  readonly commands: readonly string[]
  readonly pattern: string
  readonly timeoutMs: number
}

/**
 * Sends commands to a server. Returns whether it then prints a line that matches the pattern in time; undefined when the
 * pattern was disabled, because it took too long.
 */
export async function sendAndAwaitLine(
  { name, commands, pattern, timeoutMs }: Options,
  { server, patterns, signal }: AwaitLineDeps,
): Promise<boolean | undefined> {
  const matched = Promise.withResolvers<boolean | undefined>()
  using cleanup = new DisposableStack()
  cleanup.defer(() => patterns.watch(name, []))
  cleanup.defer(server.console.listen((_, data) => patterns.push(name, data)))
  patterns.watch(name, [
    { pattern, onMatch: () => matched.resolve(true), onDisabled: () => matched.resolve(undefined) },
  ])
  for (const command of commands) server.send(command)
  const timer = setTimeout(() => matched.resolve(false), timeoutMs)
  return await abortable(matched.promise, signal).finally(() => clearTimeout(timer))
}
