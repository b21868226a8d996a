import { appendFile, mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { ConsoleOutput } from '@innkeeper/contract/servers/live'
import { pino } from 'pino'
import { test as base, expect, vi } from 'vitest'
import { FakeRun } from '../testing/fake-environment.ts'
import { Console, maxMessageChars, type Reader } from './console.ts'

/** Generous for busy machines; every wait is for a state. */
const patience = { timeout: 10_000 }

const log = pino({ level: 'silent' })

const test = base.extend<{ dir: string; open: (dir: string) => Console }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'console-'))
    await use(dir)
    await rm(dir, { recursive: true })
  },
  // biome-ignore lint/correctness/noEmptyPattern: as above
  open: async ({}, use) => {
    const opened: Console[] = []
    await use((dir) => {
      const console = new Console({ dir, log })
      opened.push(console)
      return console
    })
    await Promise.all(opened.map((console) => console.close()))
  },
})

const started = (id = 'a') => new FakeRun({ key: '0a0a0a0a/main', id, pid: 1 })
const whole = async (console: Console) => (await console.since(0)).logs

/** Everything that a reader can read now. */
function drain(reader: Reader): ConsoleOutput[] {
  const read: ConsoleOutput[] = []
  for (let message = reader.next(); message; message = reader.next()) read.push(JSON.parse(message.toString()).data)
  return read
}
const getText = (outputs: readonly ConsoleOutput[]) => outputs.flatMap(({ logs }) => logs).join('')

test('messages of the daemon begin on a line of their own', async ({ dir, open }) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })

  run.print('loading...')
  console.say('Server was told to stop')
  await console.flushed()

  expect(await whole(console)).toBe('loading...\n[DAEMON] Server was told to stop\n')
})

test('a message cannot control a terminal, and each of its lines is one of the daemon', async ({ dir, open }) => {
  const console = open(dir)

  console.say('Failed: \x1b]0;title\x07\x1b[31mred\rover\n\tindented \x9b1mbold')
  await console.flushed()

  expect(await whole(console)).toBe('[DAEMON] Failed: redover\n[DAEMON] \tindented bold\n')
})

test('a message with a million spaces is written at once, and truncated', async ({ dir, open }) => {
  const console = open(dir)

  console.say(`a${' '.repeat(1_000_000)}b`)
  console.say('c \n \n')
  await console.flushed()

  expect(await whole(console)).toBe(`[DAEMON] a${' '.repeat(maxMessageChars - 1)}…\n[DAEMON] c\n`)
})

test('a character that is split between chunks stays intact', async ({ dir, open }) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })

  for (const byte of Buffer.from('Grüße, 世界 🎲')) run.print(Uint8Array.of(byte))
  await console.flushed()

  expect(await whole(console)).toBe('Grüße, 世界 🎲')
})

test('invalid UTF-8 is shown as �, and the rest of the output is unchanged', async ({ dir, open }) => {
  const console = open(dir)
  const run = started()
  const followed = console.follow(run, { isNew: true })

  run.print(Uint8Array.of(0x61, 0xff, 0x62, 0xe4, 0xb8))
  run.exit(0)
  await followed

  expect(await whole(console)).toBe('a�b�')
})

test('positions are bytes, and continue after a restart of the daemon', async ({ dir, open }) => {
  const before = open(dir)
  before.say('ü')
  await before.close()
  const console = open(dir)
  const reader = console.read(() => {})
  await reader.seek()

  console.say('b')
  await console.flushed()

  expect(drain(reader)).toMatchObject([
    { logs: ['[DAEMON] ü\n'], from: 0, to: 12 },
    { logs: ['[DAEMON] b\n'], from: 12, to: 23 },
  ])
})

test('the history survives a restart, and a process is followed from the logged offset', async ({ dir, open }) => {
  const before = open(dir)
  const run = started()
  void before.follow(run, { isNew: true })
  run.print('one\ntw')
  await before.close()
  const found = run.found()
  found.print('o\nthree\n')
  const console = open(dir)

  const followed = console.follow(found, { isNew: false })
  await vi.waitFor(async () => expect(await whole(console)).toBe('one\ntwo\nthree\n'), patience)
  found.exit(0)
  await followed

  expect(found.acknowledged).toBe(14)
})

test('a character that was split by a restart of the daemon is intact afterwards', async ({ dir, open }) => {
  const before = open(dir)
  const run = started()
  void before.follow(run, { isNew: true })
  run.print(Buffer.from('世界').subarray(0, 4))
  await before.close()
  const found = run.found()
  found.print(Buffer.from('世界').subarray(4))
  const console = open(dir)

  void console.follow(found, { isNew: false })

  await vi.waitFor(async () => expect(await whole(console)).toBe('世界'), patience)
})

test('requests for the history do not recreate a removed console', async ({ dir, open }) => {
  const console = open(join(dir, 'log'))
  console.say('a')
  await console.flushed()

  await console.remove()

  await expect(console.page()).rejects.toMatchObject({ code: 'ErrServiceNotAvailable' })
  await expect(console.search('a')).rejects.toMatchObject({ code: 'ErrServiceNotAvailable' })
  await console.since(0)
  await console.close()
  expect(await readdir(dir)).toEqual([])
})

test('output is logged before it is acknowledged, and acknowledged up to the last complete character', async ({
  dir,
  open,
}) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })

  run.print(Buffer.from('a世').subarray(0, 3))
  await console.flushed()

  const files = await readdir(dir)
  expect(await readFile(join(dir, files[0] as string), 'utf8')).toContain('\na\n')
  expect(run.acknowledged).toBe(1)
})

test('an entry that kill -9 left incomplete is truncated, and the output is delivered again', async ({ dir, open }) => {
  const before = open(dir)
  const run = started()
  void before.follow(run, { isNew: true })
  run.print('kept\n')
  await before.close()
  const [file] = await readdir(dir)
  await appendFile(join(dir, file as string), '{"from":5,"bytes":500,"epoch":1,"run":"a","end":505}\nhalf')
  const found = run.found()
  found.print('half and the rest\n')
  const console = open(dir)

  void console.follow(found, { isNew: false })

  await vi.waitFor(async () => expect(await whole(console)).toBe('kept\nhalf and the rest\n'), patience)
  await console.close()
  expect(await whole(open(dir))).toBe('kept\nhalf and the rest\n')
})

test('a damaged log does not stop the console', async ({ dir, open }) => {
  await appendFile(join(dir, '0000000000000000.log'), Buffer.alloc(1000, 0xee))
  const console = open(dir)

  console.say('here')
  await console.flushed()

  expect(await whole(console)).toBe('[DAEMON] here\n')
})

test('a console that cannot be logged is still shown', async ({ dir, open }) => {
  await appendFile(join(dir, 'file'), '')
  const console = open(join(dir, 'file', 'below'))

  console.say('here')
  await console.flushed()
  const reader = console.read(() => {})
  console.say('still here')
  await console.flushed()

  expect(getText(drain(reader))).toBe('[DAEMON] still here\n')
})

test('dropped output leaves a line with its size', async ({ dir, open }) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })

  run.print('before\n')
  run.drop(3 * 1024 * 1024)
  run.print('after\n')
  await console.flushed()

  expect(await whole(console)).toBe(
    'before\n[DAEMON] 3.0 MiB of output was dropped because the server prints faster than output can be written to disk\nafter\n',
  )
})

test('a reader continues from its position, and one that fell behind skips ahead', async ({ dir, open }) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })
  const slow = console.read(() => {})
  run.print('0123456789')
  await console.flushed()
  const reader = console.read(() => {})

  const available = await reader.seek(4)

  expect(available).toEqual({ from: 4, to: 10 })
  expect(drain(reader)).toMatchObject([{ logs: ['456789'], from: 4, to: 10 }])

  for (let count = 0; count < 6; count++) {
    run.print('y'.repeat(1024 * 1024))
    await console.flushed()
  }
  const [first] = drain(slow)
  expect(first?.from).toBeGreaterThan(10)
  expect(first?.logs[0]?.[0]).toBe('y')
})

test('a reader skips to the latest output, but not what it has requested', async ({ dir, open }) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })
  const [live, replaying] = [console.read(() => {}), console.read(() => {})]
  for (const line of ['one\n', 'two\n', 'three\n', 'four\n']) {
    run.print(line)
    await console.flushed()
  }
  await replaying.seek(4)

  for (const reader of [live, replaying]) reader.skip(5)

  expect(drain(live)).toMatchObject([{ logs: ['four\n'], from: 14, to: 19 }])
  expect(getText(drain(replaying))).toBe('two\nthree\nfour\n')

  run.print('five\n')
  await console.flushed()
  run.print('six\n')
  await console.flushed()
  replaying.skip(4)
  expect(drain(replaying)).toMatchObject([{ logs: ['six\n'], from: 24, to: 28 }])
})

test('a position of another console gets everything', async ({ dir, open }) => {
  const console = open(dir)
  console.say('here')
  await console.flushed()
  const reader = console.read(() => {})

  const available = await reader.seek(1_000_000)

  expect(available).toEqual({ from: 0, to: 14 })
  expect(getText(drain(reader))).toBe('[DAEMON] here\n')
})

const fifty = Array.from({ length: 50 }, (_, count) => `[DAEMON] ${count}\n`).join('')

test('a request for the output after a position misses and doubles nothing', async ({ dir, open }) => {
  const console = open(dir)
  let position = 0
  let text = ''
  for (let count = 0; count < 50; count++) {
    console.say(String(count))
    await console.flushed()
    const answer = await console.after(position)
    expect(answer.from).toBe(position)
    expect(Number.isInteger(answer.epoch)).toBe(true)
    position = answer.to
    text += answer.logs
  }

  expect(text).toBe(fifty)
  expect(await console.after(position)).toMatchObject({ logs: '', from: position, to: position })
  expect(await console.after(5)).toMatchObject({ logs: fifty.slice(5), from: 5 })
  expect(await console.after(1_000_000)).toMatchObject({ logs: fifty, from: 0, to: position })
})

test('a request for the output after a whole second misses and doubles nothing', async ({ dir, open }) => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_000 })
  try {
    const console = open(dir)
    let text = ''
    let { epoch } = await console.since(0)
    for (let count = 0; count < 50; count++) {
      vi.setSystemTime(Date.now() + 370)
      console.say(String(count))
      await console.flushed()
      const answer = await console.since(epoch)
      expect(Number.isInteger(answer.epoch)).toBe(true)
      epoch = answer.epoch
      text += answer.logs
    }
    vi.setSystemTime(Date.now() + 1_000)
    text += (await console.since(epoch)).logs

    expect(text).toBe(fifty)
  } finally {
    vi.useRealTimers()
  }
})

test('a time with decimals is exact', async ({ dir, open }) => {
  vi.useFakeTimers({ toFake: ['Date'], now: 1_700_000_000_250 })
  try {
    const console = open(dir)
    for (const text of ['one', 'two']) {
      console.say(text)
      await console.flushed()
      vi.setSystemTime(1_700_000_000_750)
    }

    expect((await console.since(1_700_000_000.5)).logs).toBe('[DAEMON] two\n')
  } finally {
    vi.useRealTimers()
  }
})

test('a line on a quiet console is delivered at once, a busy console in batches', async ({ dir, open }) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })
  let wakes = 0
  const reader = console.read(() => wakes++)

  for (let count = 0; count < 200; count++) {
    run.print(`${count}\n`)
    await nextTurn()
  }
  await vi.waitFor(() => expect(getText(drain(reader))).toContain('199\n'), patience)

  expect(wakes).toBeLessThan(20)
})

test('the more viewers a busy console has, the larger its batches are, and nobody misses a line', async ({
  dir,
  open,
}) => {
  const console = open(dir)
  const run = started()
  void console.follow(run, { isNew: true })
  let wakes = 0
  const readers = [console.read(() => wakes++), ...Array.from({ length: 99 }, () => console.read(() => {}))]

  const startedAt = performance.now()
  const lines: string[] = []
  while (performance.now() - startedAt < 400) {
    lines.push(`${lines.length}\n`)
    run.print(lines.at(-1) ?? '')
    await nextTurn()
  }
  const batches = wakes
  const elapsedMs = performance.now() - startedAt
  await console.flushed()

  // With a few viewers there is one every 33 ms.
  expect(batches).toBeLessThanOrEqual(1 + elapsedMs / 300)
  for (const reader of readers) expect(getText(drain(reader))).toBe(lines.join(''))
})
