import { EventEmitter } from 'node:events'
import { pino } from 'pino'
import { expect, test, vi } from 'vitest'
import { logUnhandledRejections, shutDownOnSignals } from './shutdown.ts'

/** A program that records its calls. */
function program({
  stopServers = async () => {},
  serverNames = async () => new Map<string, string>(),
  close = async () => {},
}: Partial<Parameters<typeof shutDownOnSignals>[0]> = {}) {
  const events = new EventEmitter()
  const lines: string[] = []
  const done: string[] = []
  const printed: string[] = []
  const deps = {
    events,
    log: pino({ level: 'trace' }, { write: (line) => void lines.push(line) }),
    exit: (code: number) => void done.push(`exit ${code}`),
    print: (text: string) => void printed.push(text),
    shutdownMs: 100,
  }
  logUnhandledRejections(deps)
  shutDownOnSignals(
    {
      serverNames,
      async stopServers(progress) {
        done.push('stop')
        await stopServers(progress)
      },
      async close() {
        done.push('close')
        await close()
      },
    },
    deps,
  )
  return { events, lines, done, printed }
}
const broken = async () => {
  throw new Error('broken')
}
const endless = () => new Promise<void>(() => {})

test('SIGTERM leaves the servers running', async () => {
  const { events, done } = program()

  events.emit('SIGTERM')
  events.emit('SIGTERM')

  await expect.poll(() => done).toEqual(['close', 'exit 0'])
})

test('Ctrl-C stops the servers first, and a second one exits immediately', async () => {
  const { events, done } = program({ stopServers: endless })

  events.emit('SIGINT')
  events.emit('SIGINT')

  expect(done).toEqual(['stop', 'exit 130'])
})

test('Ctrl-C names the servers that it waits for, and those that it leaves running', async () => {
  const { events, done, printed } = program({
    async stopServers(progress) {
      progress?.onWaiting?.(['0a0a0a0a', '0b0b0b0b'])
      progress?.onLeft?.('0b0b0b0b')
    },
    serverNames: async () => new Map([['0a0a0a0a', 'Survival']]),
  })

  events.emit('SIGINT')

  await expect.poll(() => done).toEqual(['stop', 'close', 'exit 0'])
  expect(printed.slice(1)).toEqual([
    'Waiting for Survival (0a0a0a0a), 0b0b0b0b\n',
    '0b0b0b0b has not stopped in its time and is left running\n',
  ])
})

test('the program shuts down when servers cannot be stopped', async () => {
  const { events, done, lines } = program({ stopServers: broken })

  events.emit('SIGINT')

  await expect.poll(() => done).toEqual(['stop', 'close', 'exit 1'])
  expect(lines.join()).toContain('broken')
})

test('an unhandled rejection is logged, and the program continues', () => {
  const { events, done, lines } = program()

  events.emit('unhandledRejection', new Error('forgotten'))

  expect(lines.join()).toContain('forgotten')
  expect(done).toEqual([])
})

test('after an uncaught exception the program shuts down within its timeout', async () => {
  vi.useFakeTimers()
  const { events, done, lines } = program({ close: endless })

  events.emit('uncaughtException', new Error('thrown'))
  await vi.advanceTimersByTimeAsync(100)
  vi.useRealTimers()

  expect(lines.join()).toContain('thrown')
  expect(done).toEqual(['close', 'exit 1'])
})
