import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { ClientMessage } from '@innkeeper/contract/servers/live'
import type { ServerStatus } from '@innkeeper/contract/servers/status'
import { limits } from '@innkeeper/contract/text/limits'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { hasGivenUp, maxRetries, retryStepMs } from './connection.ts'
import { pollIntervalMs, ServerConnection } from './server-connection.ts'
import { maxStatsPoints, type StatsHistory, toStatsPoints } from './stats-history.ts'
import { FakeWebSocket } from './testing/fake-web-socket.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

const online: ServerStatus = { running: true, installing: false, state: 'online', since: '2026-11-20T20:00:00Z' }
const offline: ServerStatus = { ...online, running: false, state: 'offline' }

/** A console that keeps its output as one text. */
class TextConsole {
  text = ''
  readonly times: (number | undefined)[] = []
  write(text: string, epoch: number | undefined) {
    this.text += text
    this.times.push(epoch)
  }
  gap(bytes: number) {
    this.text += `<${bytes} missing>`
  }
  reset() {
    this.text = ''
  }
}

const panelAway = new Refusal('ErrServiceNotAvailable')
const nodeAway = new Refusal('ErrServiceNotAvailable')

interface Options {
  permissions?: readonly RequiredPermission[]
  past?: StatsHistory
}

function watched({
  permissions = ['viewServer', 'viewServerConsole', 'viewServerStats', 'sendServerConsole'],
  past = [],
}: Options = {}) {
  const sockets: FakeWebSocket[] = []
  const shown = new TextConsole()
  const refused: unknown[] = []
  const sentPlainly: ClientMessage[] = []
  const page = { visible: true, listener: () => {} }
  const node = { status: online, printed: '', fails: undefined as unknown, asked: 0 }
  const respond = async <T>(given: T): Promise<T> => {
    node.asked++
    if (node.fails) throw node.fails
    return given
  }
  const live = new ServerConnection({
    open: () => {
      const socket = new FakeWebSocket()
      sockets.push(socket)
      return socket
    },
    calls: {
      status: () => respond(node.status),
      stats: () => respond({ cpu: 12, memory: 34 }),
      statsHistory: async () => past,
      console: (from = 0) => {
        const { printed } = node
        const begin = from > printed.length ? 0 : from
        return respond({ epoch: 1, logs: printed.slice(begin), from: begin, to: printed.length })
      },
      send: async (message) => {
        sentPlainly.push(message)
      },
    },
    page: {
      isVisible: () => page.visible,
      onChange: (listener) => {
        page.listener = listener
        return () => {}
      },
    },
    console: shown,
    can: (permission) => permissions.includes(permission),
    onError: (refusal) => refused.push(refusal),
    onPermissions: () => undefined,
    findUnreachable: (failure) => (failure === panelAway ? 'panel' : failure === nodeAway ? 'node' : undefined),
    toRefusal: ({ code }) => new Refusal(code === 'ErrMissingScope' ? code : 'ErrUnknownError'),
  })
  const last = () => sockets.at(-1) as FakeWebSocket
  const turn = (visible: boolean) => {
    page.visible = visible
    page.listener()
  }
  async function loseForGood() {
    for (let failures = 0; failures <= maxRetries; failures++) {
      last().falls()
      await vi.advanceTimersByTimeAsync(limits.socketRetryBaseMs + failures * retryStepMs)
    }
  }
  return { live, last, sockets, shown, refused, sentPlainly, node, turn, loseForGood }
}

function output(from: number, text: string) {
  return { type: 'console', data: { logs: [text], from, to: from + text.length, epoch: from } } as const
}

test('an open socket asks for status, statistics and all of the console', () => {
  const { last } = watched()

  last().opens()

  expect(last().sent).toEqual([{ type: 'status' }, { type: 'replay' }, { type: 'stat' }])
})

test('data without permission is not requested', () => {
  const { last } = watched({ permissions: ['viewServer'] })

  last().opens()
  vi.advanceTimersByTime(limits.statsEveryMs * 3)

  expect(last().sent).toEqual([{ type: 'status' }])
})

test('after a reconnect the console continues at its last position', async () => {
  const { last, shown, node } = watched()
  node.printed = 'one\n'
  last().opens()
  last().says({ type: 'replay', data: { from: 0, to: 4 } })
  last().says(output(0, 'one\n'))

  last().falls()
  await vi.advanceTimersByTimeAsync(limits.socketRetryBaseMs)
  last().opens()
  const asked = last().getSent('replay')
  last().says({ type: 'replay', data: { from: 0, to: 8 } })
  last().says(output(4, 'two\n'))

  expect(asked).toEqual([{ type: 'replay', from: 4 }])
  expect(shown.text).toBe('one\ntwo\n')
})

test('output polled while the socket was down is not doubled by the replay', async () => {
  const { last, shown, node, live, loseForGood } = watched()
  last().opens()
  last().says({ type: 'replay', data: { from: 0, to: 4 } })
  last().says(output(0, 'one\n'))
  node.printed = 'one\ntwo\n'
  await loseForGood()
  const whilePolling = shown.text

  live.reconnect()
  last().opens()
  last().says({ type: 'replay', data: { from: 0, to: 14 } })
  last().says(output(8, 'three\n'))

  expect(whilePolling).toBe('one\ntwo\n')
  expect(last().getSent('replay')).toEqual([{ type: 'replay', from: 8 }])
  expect(shown.text).toBe('one\ntwo\nthree\n')
})

test('polling neither loses nor repeats output, and reports gaps', async () => {
  const { shown, node, loseForGood } = watched()
  node.printed = 'one\n'
  await loseForGood()

  node.printed = 'one\ntwo\n'
  await vi.advanceTimersByTimeAsync(pollIntervalMs * 2)
  const before = shown.text
  node.printed = 'new\n'
  await vi.advanceTimersByTimeAsync(pollIntervalMs)

  expect(before).toBe('one\ntwo\n')
  // Positions that went back belong to another console.
  expect(shown.text).toBe('new\n')
})

test('returning to the tab requests the output since it was hidden', () => {
  const { last, turn } = watched()
  last().opens()
  last().says({ type: 'replay', data: { from: 0, to: 4 } })
  last().says(output(0, 'one\n'))

  turn(false)
  turn(true)

  expect(last().getSent('replay')).toEqual([{ type: 'replay' }, { type: 'replay', from: 4 }])
})

test('returning to the tab reconnects a socket that was given up', async () => {
  const { last, turn, live, loseForGood } = watched()
  await loseForGood()

  turn(false)
  turn(true)
  last().opens()

  expect(live.snapshot().connection.status).toBe('open')
})

test('a console whose positions went back is replaced from its start', () => {
  const { last, shown, turn } = watched()
  last().opens()
  last().says({ type: 'replay', data: { from: 0, to: 4 } })
  last().says(output(0, 'old\n'))

  turn(true)
  last().says({ type: 'replay', data: { from: 0, to: 2 } })
  last().says({ type: 'replay', data: { from: 0, to: 2 } })
  last().says(output(0, 'n\n'))

  expect(shown.text).toBe('n\n')
})

test('statistics are polled every three seconds, but not in a hidden tab', () => {
  const { last, turn } = watched()
  last().opens()
  last().says({ type: 'status', data: online })

  vi.advanceTimersByTime(limits.statsEveryMs * 2)
  const seen = last().getSent('stat').length
  turn(false)
  vi.advanceTimersByTime(limits.statsEveryMs * 4)

  expect(seen).toBe(3)
  expect(last().getSent('stat')).toHaveLength(3)
})

test('a server that does not run uses nothing, without asking', () => {
  const { last, live } = watched()
  last().opens()
  last().says({ type: 'stat', data: { cpu: 50, memory: 100 } })
  last().says({ type: 'status', data: offline })
  const asked = last().getSent('stat').length

  vi.advanceTimersByTime(limits.statsEveryMs)

  expect(live.snapshot().stats.at(-2)).toMatchObject({ cpu: 50, memory: 100 })
  expect(live.snapshot().stats.at(-1)).toMatchObject({ cpu: 0, memory: 0 })
  expect(live.snapshot().stats).toHaveLength(maxStatsPoints)
  expect(last().getSent('stat')).toHaveLength(asked)
})

test('while the socket is down, commands, status and statistics go by plain calls', async () => {
  const { live, sentPlainly, loseForGood } = watched()
  await loseForGood()

  live.sendCommand('list')
  await vi.advanceTimersByTimeAsync(limits.statsEveryMs)

  expect(sentPlainly).toEqual([{ type: 'console', command: 'list' }])
  expect(live.snapshot().status).toEqual(online)
  expect(live.snapshot().stats.at(-1)).toMatchObject({ cpu: 12, memory: 34 })
})

test('an unreachable node is shown with the time of its last response', async () => {
  const { live, last, node, loseForGood } = watched()
  last().opens()
  last().says({ type: 'status', data: online })
  const heardAt = Date.now()
  node.fails = nodeAway

  await loseForGood()
  const silent = live.snapshot().unreachable
  node.fails = undefined
  await vi.advanceTimersByTimeAsync(30_000)

  expect(silent).toEqual({ host: 'node', since: heardAt })
  expect(live.snapshot().unreachable).toBeUndefined()
})

test('while the panel is down the page blames the panel, not the node', async () => {
  const { live, last, node, loseForGood } = watched()
  last().opens()
  last().says({ type: 'status', data: online })
  node.fails = panelAway

  await loseForGood()

  expect(live.snapshot().unreachable?.host).toBe('panel')
})

test('after a restart of the panel the page is live again by itself', async () => {
  const { live, last, sockets, node, loseForGood } = watched()
  last().opens()
  node.fails = panelAway
  await loseForGood()
  await vi.advanceTimersByTimeAsync(60_000)
  const whileAway = sockets.length

  node.fails = undefined
  await vi.advanceTimersByTimeAsync(35_000)
  const tried = sockets.length
  last().opens()

  expect(whileAway).toBe(1 + maxRetries)
  expect(tried).toBe(whileAway + 1)
  expect(live.snapshot().connection.status).toBe('open')
})

test('where only plain calls get through the socket is tried once a minute, and the page stays as it is', async () => {
  const { live, last, sockets, loseForGood } = watched()
  await loseForGood()
  const attempts = sockets.length

  await vi.advanceTimersByTimeAsync(65_000)
  const retry = sockets.length
  const whileTrying = hasGivenUp(live.snapshot().connection)
  last().falls()

  expect(retry).toBe(attempts + 1)
  expect(whileTrying).toBe(true)
  expect(live.snapshot().connection).toEqual({ status: 'failed' })
})

test('a hidden page polls the status once a minute, and nothing else', async () => {
  const { live, last, node, turn, loseForGood } = watched()
  last().opens()
  last().says({ type: 'status', data: online })
  await loseForGood()
  turn(false)
  await vi.advanceTimersByTimeAsync(10_000)
  const asked = node.asked

  node.status = offline
  await vi.advanceTimersByTimeAsync(45_000)
  const early = { asked: node.asked, status: live.snapshot().status }
  await vi.advanceTimersByTimeAsync(20_000)
  const afterwards = { asked: node.asked, status: live.snapshot().status }
  await vi.advanceTimersByTimeAsync(5 * 60_000)

  expect(early).toEqual({ asked, status: online })
  expect(afterwards).toEqual({ asked: asked + 1, status: offline })
  expect(node.asked - afterwards.asked).toBeLessThanOrEqual(5)
})

test('an unreachable node is polled with growing intervals', async () => {
  const { node, loseForGood } = watched()
  node.fails = nodeAway
  await loseForGood()
  await vi.advanceTimersByTimeAsync(60_000)

  const before = node.asked
  await vi.advanceTimersByTimeAsync(120_000)

  expect(node.asked - before).toBeLessThanOrEqual(4)
})

test('polled output has no time of printing', async () => {
  const { last, shown, node, loseForGood } = watched()
  last().opens()
  last().says({ type: 'replay', data: { from: 0, to: 4 } })
  last().says({ ...output(0, 'one\n'), data: { ...output(0, 'one\n').data, epoch: 77 } })
  node.printed = 'one\ntwo\n'

  await loseForGood()

  expect(shown.times.slice(0, 2)).toEqual([77, undefined])
})

test('the statistics start with the history before the page was opened', async () => {
  const fromMs = Date.now() - 9_000
  const past = toStatsPoints({ fromMs, stepMs: 3_000, cpu: [40, null, 60], memory: [7, null, 9] })

  const { live } = watched({ past })
  await vi.advanceTimersByTimeAsync(0)

  const measured = live.snapshot().stats.filter(({ isBlank }) => !isBlank)
  expect(measured.map(({ cpu, memory }) => [cpu, memory])).toEqual([
    [40, 7],
    [60, 9],
  ])
})

test('a server that is off uses nothing, and that is not counted as measured', () => {
  const { last, live } = watched()
  last().opens()
  last().says({ type: 'status', data: offline })
  last().says({ type: 'stat', data: { cpu: 0, memory: 0 } })
  const answered = live.snapshot().stats.at(-1)

  vi.advanceTimersByTime(limits.statsEveryMs)

  expect(answered).toMatchObject({ isBlank: true })
  expect(live.snapshot().stats.at(-1)).toMatchObject({ cpu: 0, memory: 0, isBlank: true })
})

test('a no over the socket reaches the page as a refusal', () => {
  const { last, refused } = watched()
  last().opens()

  last().says({ type: 'error', data: { code: 'ErrMissingScope' } })

  expect(refused).toEqual([new Refusal('ErrMissingScope')])
})

test('leaving the page stops every timer and call', async () => {
  const { live, node, loseForGood } = watched()
  await loseForGood()

  live.close()
  const asked = node.asked
  await vi.advanceTimersByTimeAsync(60_000)

  expect(vi.getTimerCount()).toBe(0)
  expect(node.asked).toBe(asked)
})

test('an open terminal gets the size of the server, types and resizes; a closed one does neither', () => {
  const { live, last } = watched()
  const sizes: unknown[] = []
  last().opens()
  const terminal = live.openTerminal((size) => sizes.push(size))
  last().says({ type: 'terminal', data: { cols: 120, rows: 30 } })

  terminal.resize({ cols: 80, rows: 24 })
  terminal.type('\x1b[A')
  terminal.close()
  terminal.resize({ cols: 81, rows: 25 })
  terminal.type('late')
  last().says({ type: 'terminal', data: { cols: 90, rows: 40 } })

  expect(sizes).toEqual([{ cols: 120, rows: 30 }])
  expect(last().getSent('terminal')).toEqual([
    { type: 'terminal', open: true },
    { type: 'terminal', open: false },
  ])
  expect(last().getSent('resize')).toEqual([{ type: 'resize', cols: 80, rows: 24 }])
  expect(last().getSent('input')).toEqual([{ type: 'input', data: '\x1b[A' }])
})

test('after a reconnect the terminal is opened again with its size, and what was typed in between is not sent', async () => {
  const { live, last, sentPlainly } = watched()
  last().opens()
  const terminal = live.openTerminal(() => undefined)
  terminal.resize({ cols: 80, rows: 24 })

  last().falls()
  terminal.type('stop\r')
  await vi.advanceTimersByTimeAsync(limits.socketRetryBaseMs)
  terminal.type('stop\r')
  last().opens()

  expect(last().getSent('terminal')).toEqual([{ type: 'terminal', open: true }])
  expect(last().getSent('resize')).toEqual([{ type: 'resize', cols: 80, rows: 24 }])
  expect(last().getSent('input')).toEqual([])
  expect(sentPlainly).toEqual([])
})
