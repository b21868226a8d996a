import { readFile } from 'node:fs/promises'
import { startServer } from '@innkeeper/contract/node-servers'
import { expect, test } from 'vitest'
import { program, TestNode, type Watcher } from '../testing/daemon.ts'

const id = '0a0a0a0a'
const params = { id }
const wait = { wait: true }
const mebi = 1024 * 1024

/** The most memory that a process ever had. */
async function peakBytes(pid: number): Promise<number> {
  const text = await readFile(`/proc/${pid}/status`, 'utf8')
  return Number(/VmHWM:\s*(\d+)/.exec(text)?.[1]) * 1024
}

/** Reads the console as numbers of the flood's lines, without keeping it. */
function counting(watcher: Watcher) {
  const seen = { lines: 0, missing: 0, position: 0, jumps: 0, text: '' }
  let rest = ''
  let expected = 0
  watcher.socket.removeAllListeners('message')
  watcher.socket.on('message', (data) => {
    const message = JSON.parse(String(data))
    if (message.type !== 'console') return
    if (seen.position > 0 && message.data.from !== seen.position) seen.jumps++
    seen.position = message.data.to
    const lines = (rest + message.data.logs.join('')).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (!/^\d{12} x+$/.test(line)) {
        seen.text += `${line}\n`
        continue
      }
      seen.lines++
      const number = Number(line.slice(0, 12))
      seen.missing += number - expected
      expected = number + 1
    }
  })
  return seen
}

const ended = async (isSo: () => boolean, withinMs: number): Promise<void> => {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const late = setTimeout(() => reject(new Error('the flood did not end')), withinMs)
  const look = setInterval(() => isSo() && resolve(), 20)
  await promise.finally(() => {
    clearTimeout(late)
    clearInterval(look)
  })
}

test('a server that floods 1 GiB grows the daemon by less than 64 MiB', { timeout: 90_000 }, async () => {
  await using node = await TestNode.start({ apart: true })
  await node.client.create(id, program('flood', 1024 * mebi))
  const watcher = await node.client.watch(id)
  const seen = counting(watcher)
  const before = await peakBytes(node.pid)

  await node.client.send(startServer, { params, query: wait })
  await ended(() => seen.text.includes('Server exited with code 0'), 80_000)

  const grown = (await peakBytes(node.pid)) - before
  console.log('grown MiB', grown / mebi, 'lines', seen.lines, 'missing', seen.missing, 'jumps', seen.jumps)
  expect(grown).toBeLessThan(64 * mebi)
  expect(seen.position).toBeGreaterThan(0)
})

test('of twenty viewers ten never read: the others have every line of a burst', { timeout: 60_000 }, async () => {
  await using node = await TestNode.start({ apart: true })
  await node.client.create(id, program('flood', 20 * mebi))
  const sleepers = await Promise.all(Array.from({ length: 10 }, () => node.client.watch(id)))
  for (const { socket } of sleepers) socket.pause()
  const watchers = await Promise.all(Array.from({ length: 10 }, () => node.client.watch(id)))
  const readers = watchers.map(counting)
  const before = await peakBytes(node.pid)

  await node.client.send(startServer, { params, query: wait })
  await ended(() => readers.every(({ text }) => text.includes('Server exited with code 0')), 50_000)

  const grown = (await peakBytes(node.pid)) - before
  console.log(
    'grown MiB',
    grown / mebi,
    JSON.stringify(readers.map(({ lines, missing, jumps }) => ({ lines, missing, jumps }))),
  )
  expect(grown).toBeLessThan(150 * mebi)
})
