import type { EventEmitter } from 'node:events'
import { limits } from '@innkeeper/contract/text/limits'
import type { Logger } from 'pino'
import type { Innkeeper } from './run.ts'

interface Deps {
  /** Emitter of signals and exceptions: `process`. */
  readonly events: Pick<EventEmitter, 'on'>
  readonly log: Pick<Logger, 'error' | 'fatal'>
  readonly exit: (code: number) => void
  /** Writes to the terminal. */
  readonly print: (text: string) => void
  /** Timeout of the shutdown after an exception. */
  readonly shutdownMs?: number
}

/** Logs unhandled rejections: one of them must not end the panel and the consoles of all servers. */
export function logUnhandledRejections({ events, log }: Pick<Deps, 'events' | 'log'>): void {
  events.on('unhandledRejection', (reason) => log.error({ err: reason }, 'unhandled rejection; continuing'))
}

/**
 * Graceful shutdown. SIGTERM leaves servers running; Ctrl-C stops them first, except those that do not stop in their time, and a second Ctrl-C exits immediately. After an uncaught
 * exception the state of the program is unknown, so it shuts down and exits with 1.
 */
export function shutDownOnSignals(
  innkeeper: Pick<Innkeeper, 'stopServers' | 'serverNames' | 'close'>,
  { events, log, exit, print, shutdownMs = limits.shutdownMs }: Deps,
): void {
  let isShuttingDown = false
  const shutDown = async (code: number, stopServers = false) => {
    isShuttingDown = true
    let exitCode = code
    const attempt = async (act: () => Promise<void>) => {
      try {
        await act()
      } catch (err) {
        log.error({ err }, 'the shutdown failed')
        exitCode = 1
      }
    }
    if (stopServers) await attempt(() => stopAllServers(innkeeper, print))
    await attempt(() => innkeeper.close())
    exit(exitCode)
  }
  events.on('SIGTERM', () => {
    if (!isShuttingDown) void shutDown(0)
  })
  events.on('SIGINT', () => {
    if (isShuttingDown) return exit(130)
    print('\nStopping all servers. Press Ctrl-C again to leave them running.\n')
    void shutDown(0, true)
  })
  events.on('uncaughtException', (err) => {
    log.fatal({ err }, 'uncaught exception: shutting down')
    if (isShuttingDown) return
    setTimeout(() => exit(1), shutdownMs).unref()
    void shutDown(1)
  })
}

/** Servers named in one line. */
const maxNames = 10

/** Stops all servers, and prints those that it waits for and those that it leaves running. */
async function stopAllServers(
  innkeeper: Pick<Innkeeper, 'stopServers' | 'serverNames'>,
  print: Deps['print'],
): Promise<void> {
  // Lines are printed in the order of their events.
  let printed = Promise.resolve()
  const printWithNames = (ids: readonly string[], text: (names: readonly string[]) => string) => {
    printed = printed.then(async () => {
      const names = await innkeeper.serverNames(ids).catch(() => new Map<string, string>())
      print(text(ids.map((id) => (names.has(id) ? `${names.get(id)} (${id})` : id))))
    })
  }
  await innkeeper.stopServers({
    onWaiting: (ids) => printWithNames(ids, (names) => `Waiting for ${formatList(names)}\n`),
    onLeft: (id) => printWithNames([id], ([name]) => `${name} has not stopped in its time and is left running\n`),
  })
  await printed
}

function formatList(names: readonly string[]): string {
  const rest = names.length - maxNames
  return names.slice(0, maxNames).join(', ') + (rest > 0 ? ` and ${rest} more` : '')
}
