import type { EventEmitter } from 'node:events'
import { limits } from '@innkeeper/contract/limits'
import type { Logger } from 'pino'
import type { Innkeeper } from './run.ts'

interface Deps {
  /** Emits signals and faults: `process`. */
  readonly events: Pick<EventEmitter, 'on'>
  readonly log: Pick<Logger, 'error' | 'fatal'>
  readonly exit: (code: number) => void
  /** Writes for the person at the terminal. */
  readonly print: (text: string) => void
  /** How long the program may take to leave after a fault. */
  readonly shutdownMs?: number
}

/** Logs rejections that nothing handled: one of them must not end the panel and the consoles of all servers. */
export function surviveRejections({ events, log }: Pick<Deps, 'events' | 'log'>): void {
  events.on('unhandledRejection', (reason) => log.error({ err: reason }, 'a failure was not handled; going on'))
}

/**
 * SIGTERM leaves servers running; Ctrl-C stops them first, and a second Ctrl-C leaves at once. After an exception that
 * nothing caught the program leaves in order, too, and exits with 1: nobody knows what state it is in.
 */
export function leaveOnSignals(
  innkeeper: Pick<Innkeeper, 'stopServers' | 'leave'>,
  { events, log, exit, print, shutdownMs = limits.shutdownMs }: Deps,
): void {
  let isLeaving = false
  const leave = async (code: number, stopServers = false) => {
    isLeaving = true
    let exitCode = code
    const attempt = async (act: () => Promise<void>) => {
      try {
        await act()
      } catch (err) {
        log.error({ err }, 'leaving in order failed')
        exitCode = 1
      }
    }
    if (stopServers) await attempt(() => innkeeper.stopServers())
    await attempt(() => innkeeper.leave())
    exit(exitCode)
  }
  events.on('SIGTERM', () => {
    if (!isLeaving) void leave(0)
  })
  events.on('SIGINT', () => {
    if (isLeaving) return exit(130)
    print('\nStopping all servers. Press Ctrl-C again to leave them running.\n')
    void leave(0, true)
  })
  events.on('uncaughtException', (err) => {
    log.fatal({ err }, 'an exception was not caught: leaving')
    if (isLeaving) return
    setTimeout(() => exit(1), shutdownMs).unref()
    void leave(1)
  })
}
