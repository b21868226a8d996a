import { readFile } from 'node:fs/promises'
import type { ConsoleOutput } from '@innkeeper/contract/servers/live'
import { getConsole, getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { program, TestNode, type Watcher } from '../../testing/daemon.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }
const mebi = 1024 * 1024

/** Peak memory of a process. */
async function peakBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s*(\d+)/.exec(text)?.[1]) * 1024
}

/** Receives what a viewer gets without keeping it. */
function glance(watcher: Watcher, look: (output: ConsoleOutput) => void): void {
  watcher.socket.removeAllListeners('message')
  watcher.socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.type === 'console') look(message.data)
  })
}

async function tenSleepersAndReaders(node: TestNode): Promise<Watcher[]> {
  const [sleepers, readers] = await Promise.all(
    [1, 2].map(() => Promise.all(Array.from({ length: 10 }, () => node.client.watch(id)))),
  )
  for (const { socket } of sleepers ?? []) socket.pause()
  return readers ?? []
}

test('a server that floods 1 GiB grows the daemon by less than 96 MiB, and dropped output is reported', {
  timeout: 90_000,
}, async () => {
  await using node = await TestNode.start({ apart: true })
  const { client, pid } = node
  await client.create(id, program('flood', 1024 * mebi))
  const before = await peakBytes(pid)

  await client.send(startServer, { params, query: wait })
  await vi.waitFor(async () => expect((await client.send(getStatus, { params })).body.state).toBe('offline'), {
    timeout: 80_000,
    interval: 200,
  })

  expect((await peakBytes(pid)) - before).toBeLessThan(96 * mebi)
  // From the start of the history every line is there, or a line reports dropped ones.
  const { logs } = (await client.send(getConsole, { params })).body
  const lines: string[] = logs.slice(logs.indexOf('\n') + 1).split('\n')
  for (const [at, line] of lines.entries()) {
    const [previous, next] = [lines[at - 1], line].map((text) => Number(/^(\d{12}) x{50}$/.exec(text ?? '')?.[1]))
    if (Number.isInteger(previous) && Number.isInteger(next)) expect(next).toBe(Number(previous) + 1)
  }
  expect(lines.slice(-2)).toEqual(['[DAEMON] Server exited with code 0', ''])
})

test('of twenty viewers at 20,000 lines a second ten never read: the others miss nothing', {
  timeout: 60_000,
}, async () => {
  await using node = await TestNode.start({ apart: true })
  const last = 60_000
  await node.client.create(id, program('count', 20_000, last))
  const viewers = (await tenSleepersAndReaders(node)).map((watcher) => {
    const seen = { text: '', position: 0, hasJumped: false }
    glance(watcher, ({ logs, from, to }) => {
      seen.hasJumped ||= seen.position > 0 && from !== seen.position
      seen.position = to
      seen.text += logs.join('')
    })
    return seen
  })

  await node.client.send(startServer, { params })
  await vi.waitFor(() => expect(viewers.every(({ text }) => text.includes('Server exited with code 7'))).toBe(true), {
    timeout: 50_000,
    interval: 50,
  })

  for (const { text, hasJumped } of viewers) {
    expect(hasJumped).toBe(false)
    const numbers = text.split('\n').filter((line) => /^\d+$/.test(line))
    expect(numbers).toHaveLength(last)
    expect(numbers.every((number, at) => Number(number) === at + 1)).toBe(true)
  }
})

test('a flood with twenty viewers of which ten never read uses bounded memory, and all readers see its end', {
  timeout: 90_000,
}, async () => {
  await using node = await TestNode.start({ apart: true })
  await node.client.create(id, program('flood', 256 * mebi))
  const viewers = (await tenSleepersAndReaders(node)).map((watcher) => {
    const seen = { end: '', position: 0, isInOrder: true }
    glance(watcher, ({ logs, from, to }) => {
      seen.isInOrder &&= from >= seen.position
      seen.position = to
      seen.end = (seen.end + logs.join('')).slice(-200)
    })
    return seen
  })
  const before = await peakBytes(node.pid)

  await node.client.send(startServer, { params })
  await vi.waitFor(() => expect(viewers.every(({ end }) => end.includes('Server exited with code 0'))).toBe(true), {
    timeout: 80_000,
    interval: 50,
  })

  expect((await peakBytes(node.pid)) - before).toBeLessThan(150 * mebi)
  expect(viewers.map(({ isInOrder }) => isInOrder)).toEqual(viewers.map(() => true))
})
