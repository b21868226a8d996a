import { limits } from '@innkeeper/contract/limits'
import type { Logger } from 'pino'
import type { Console } from '../console/console.ts'
import type { PatternWatch } from '../patterns/pattern-watch.ts'
import type { Run } from '../processes/run.ts'

/** A look for the line by which a server says that it is ready; disposing of it ends it. */
export interface ReadyWatch extends Disposable {
  /** Resolves when what was kept before is handed over: what comes now belongs behind it. */
  readonly replayed: Promise<void>
}

export interface ReadyWatchOptions {
  /** When the process was launched (monotonic). */
  readonly launchedAt: number
  /** Whether an earlier daemon launched it, and may have kept output that it did not look through. */
  readonly isReattached: boolean
  /** Is told once that the server is ready, with words when no line said so and it is to count as ready all the same. */
  readonly onReady: (reason?: string) => void
}

interface Deps {
  readonly id: string
  readonly console: Pick<Console, 'listen' | 'page'>
  readonly patterns: Pick<PatternWatch, 'watch' | 'take'>
  readonly log: Logger
}

/** Looks for the line by which a server says that it is ready. The first that fits ends it, and so does time. */
export function watchForReadyLine(
  { id, console, patterns, log }: Deps,
  run: Pick<Run, 'id'>,
  pattern: string,
  { launchedAt, isReattached, onReady }: ReadyWatchOptions,
): ReadyWatch {
  const name = `${id}/ready`
  let isOver = false
  const end = () => {
    isOver = true
    clearTimeout(timeout)
    unsubscribe()
    patterns.watch(name, [])
  }
  const becomeReady = (reason?: string) => {
    end()
    onReady(reason)
  }
  patterns.watch(name, [{ pattern, onFit: () => becomeReady(), onOff: () => becomeReady(messages.tooSlow) }])
  const unsubscribe = console.listen((from, data) => {
    if (from.id === run.id) patterns.take(name, data)
  })
  const timeout = setTimeout(
    () => becomeReady(messages.timeout),
    Math.max(0, launchedAt + limits.readyWithinMs - performance.now()),
  )

  /** What an earlier daemon kept in its last moment, it may not have looked through. */
  async function replayConsole(): Promise<void> {
    try {
      const { pieces } = await console.page()
      if (isOver) return
      for (const piece of pieces) if (piece.run === run.id) patterns.take(name, piece.text)
    } catch (cause) {
      log.error({ err: cause }, 'what a server printed before cannot be looked through')
    }
  }
  return { replayed: isReattached ? replayConsole() : Promise.resolve(), [Symbol.dispose]: end }
}

const messages = {
  timeout: `The server printed no line that fits its ready pattern within ${limits.readyWithinMs / 60_000} minutes: it counts as online all the same`,
  tooSlow:
    'It takes too long to look for the ready pattern of the server: it counts as online without a line that fits',
} as const
