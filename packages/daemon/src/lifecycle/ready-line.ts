import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import type { PatternMatcher } from '../patterns/pattern-matcher.ts'
import type { Run } from '../processes/run.ts'

/** A running server that printed no line matching its ready pattern counts as online after this time. */
export const readyTimeoutMs = 30 * 60 * 1000

/** A server that starts and prints nothing for this time gets a hint on its console. */
const silentAfterMs = 60_000

/** Watches the output for the line that reports readiness. Dispose to stop watching. */
export interface ReadyWatch extends Disposable {
  /** Resolves when earlier output has been matched; new output must be matched after it. */
  readonly replayed: Promise<void>
}

export interface ReadyWatchOptions {
  /** Monotonic time of the launch, in milliseconds. */
  readonly launchedAt: number
  /** Whether an earlier daemon launched it, and may have logged output without matching it. */
  readonly isReattached: boolean
  /** Called once when the server counts as ready; with a reason when no line matched. */
  readonly onReady: (reason?: string) => void
}

interface Deps {
  readonly id: string
  readonly console: Pick<Console, 'listen' | 'page' | 'say'>
  /** Whether it runs in a terminal, where programs print each line at once. */
  readonly hasTerminal: boolean
  readonly silentMs?: number
  readonly patterns: Pick<PatternMatcher, 'watch' | 'push'>
  readonly log: Logger
}

/**
 * Watches the output for the first line that matches the ready pattern, until {@link readyTimeoutMs} after the launch.
 */
export function watchForReadyLine(
  { id, console, patterns, log, hasTerminal, silentMs = silentAfterMs }: Deps,
  run: Pick<Run, 'id'>,
  pattern: string,
  { launchedAt, isReattached, onReady }: ReadyWatchOptions,
): ReadyWatch {
  const name = `${id}/ready`
  let isOver = false
  const end = () => {
    isOver = true
    clearTimeout(timeout)
    clearTimeout(silence)
    unsubscribe()
    patterns.watch(name, [])
  }
  const becomeReady = (reason?: string) => {
    end()
    onReady(reason)
  }
  patterns.watch(name, [{ pattern, onMatch: () => becomeReady(), onDisabled: () => becomeReady(messages.tooSlow) }])
  const unsubscribe = console.listen((from, data) => {
    if (from.id !== run.id) return
    clearTimeout(silence)
    patterns.push(name, data)
  })
  const silence = setTimeout(
    () => console.say(hasTerminal ? messages.silent : `${messages.silent}. ${messages.buffered}`),
    Math.max(0, launchedAt + silentMs - performance.now()),
  )
  const timeout = setTimeout(
    () => becomeReady(messages.timeout),
    Math.max(0, launchedAt + readyTimeoutMs - performance.now()),
  )

  /** The earlier daemon may have logged output without matching it. */
  async function replayConsole(): Promise<void> {
    const { records } = await console.page()
    if (isOver) return
    for (const piece of records) {
      if (piece.run !== run.id) continue
      clearTimeout(silence)
      patterns.push(name, piece.text)
    }
  }
  const onError = (err: unknown) =>
    log.error({ err }, 'failed to match the earlier output of a server against its ready pattern')
  return { replayed: isReattached ? replayConsole().catch(onError) : Promise.resolve(), [Symbol.dispose]: end }
}

const messages = {
  silent: `The server has not printed anything for a minute since its start`,
  buffered:
    'If it should have, it may hold back its output because it does not run in a terminal: put "stdbuf -oL" before its command, or select the environment "tty"',
  timeout: `No line matched the ready pattern within ${readyTimeoutMs / 60_000} minutes. The server counts as online.`,
  tooSlow: 'The ready pattern takes too long to match. The server counts as online without a matching line.',
} as const
