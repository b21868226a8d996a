import { mkdtemp, readdir, rm, utimes } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { test as base, expect } from 'vitest'
import { FakeRun } from '../testing/fake-environment.ts'
import { Console } from './console.ts'
import { ConsoleHistory, maxLineBytes, maxSearchResults } from './history.ts'
import { logRetentionMs, maxLogFileBytes } from './log.ts'

const log = pino({ level: 'silent' })

interface Fixtures {
  readonly dir: string
  readonly console: Console
  /** Prints like a server and waits until it is logged. */
  readonly print: (text: string) => Promise<void>
}

const test = base.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads the names of the fixtures it needs
  dir: async ({}, use) => {
    const dir = await mkdtemp(join(tmpdir(), 'history-'))
    await use(dir)
    await rm(dir, { recursive: true })
  },
  console: async ({ dir }, use) => {
    const console = new Console({ dir, log })
    await use(console)
    await console.close()
  },
  print: async ({ console }, use) => {
    const run = new FakeRun({ key: '0a0a0a0a/main', id: 'a', pid: 1 })
    void console.follow(run, { isNew: true })
    await use(async (text) => {
      run.print(text)
      await console.flushed()
    })
  },
})

/** More than one log file, in lines of 100 bytes with their number. */
const manyFiles = Math.ceil((2.5 * maxLogFileBytes) / 100)
const numbered = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `line ${from + at} `.padEnd(99, '.')).join('\n')

async function flood({ print }: Pick<Fixtures, 'print'>, lines: number): Promise<void> {
  const batch = 5_000
  for (let from = 0; from < lines; from += batch) await print(`${numbered(from, Math.min(lines, from + batch))}\n`)
}

test('a search ignores case and colors, and returns the newest line first', async ({ console, print }) => {
  await print('Mara joined\n\x1b[31mMARA\x1b[0m said hello\r\nnobody else\n')

  const { found, next } = await console.search('mara')

  expect(found.map(({ line }) => line)).toEqual(['MARA said hello', 'Mara joined'])
  expect(found.map(({ position }) => position)).toEqual([12, 0])
  expect(found[0]?.epoch).toBeGreaterThan(1_700_000_000)
  expect(next).toBeUndefined()
})

test('a line that was printed in pieces is one line, also across two log files', async ({ console, print }) => {
  await print(`${'x\n'.repeat(maxLogFileBytes / 2 - 4)}here`)
  await print(' the sea')
  await print('rch goes on\nand ends\n')

  const { found } = await console.search('the search goes on')

  expect(found.map(({ line }) => line)).toEqual(['here the search goes on'])
})

test('a line of megabytes is found wherever the text is in it, and shown in part', async ({ console, print }) => {
  await print(`${'ä'.repeat(maxLineBytes - 4)}the needle${'ö'.repeat(1_000_000)}needle end\n`)

  const { found } = await console.search('needle')

  expect(found).toHaveLength(2)
  for (const { line } of found) {
    expect(Buffer.byteLength(line)).toBeLessThanOrEqual(maxLineBytes)
    expect(line).not.toContain('\ufffd')
  }
  expect(found[0]?.line).toContain('needle end')
})

test('a line of a million carriage returns does not delay a search', async ({ console, print }) => {
  await print(`${'\r'.repeat(1_000_000)}x\nthe needle\r\r\n`)

  const { found } = await console.search('needle')

  expect(found.map(({ line }) => line)).toEqual(['the needle'])
})

test('a console full of unfinished escape sequences is searched and downloaded quickly', async ({
  console,
  print,
  dir,
}) => {
  await print(`${'\u001b]'.repeat(1_000_000)}\n\u001b[32mthe needle\u001b[0m\n`)

  const { found } = await console.search('needle')
  let text = ''
  for await (const part of new ConsoleHistory(dir).text()) text += part

  expect(found.map(({ line }) => line)).toEqual(['the needle'])
  expect(text).toBe('\nthe needle\n')
})

test('a search that times out stops within a file, and can be continued there', async ({ console, print, dir }) => {
  await print('the needle\n')
  await print(`${'x\n'.repeat(10_000)}`)
  const history = new ConsoleHistory(dir, { searchMs: 0 })
  let searches = 0
  let before: number | undefined = (await console.page()).to
  const lines: string[] = []

  while (before !== undefined) {
    const { found, next } = await history.search('needle', before)
    lines.push(...found.map(({ line }) => line))
    before = next
    searches++
  }

  expect(lines).toEqual(['the needle'])
  expect(searches).toBeGreaterThan(10)
})

test('a search with many results stops, and continues without losing or doubling a line', async ({
  console,
  print,
}) => {
  await flood({ print }, manyFiles)
  const lines: string[] = []

  for (let before: number | undefined, isFirst = true; isFirst || before !== undefined; isFirst = false) {
    const { found, next } = await console.search('line 1', before)
    expect(found.length).toBeLessThanOrEqual(maxSearchResults)
    lines.push(...found.map(({ line }) => line))
    if (lines.length > 1_000) break
    before = next
  }

  const expected = Array.from({ length: manyFiles }, (_, at) => `line ${at} `.padEnd(99, '.')).filter((line) =>
    line.includes('line 1'),
  )
  expect(lines).toEqual(expected.toReversed().slice(0, lines.length))
  expect(lines.length).toBeGreaterThan(1_000)
})

test('the whole history can be paged, byte for byte, also after a restart of the daemon', async ({
  console,
  print,
  dir,
}) => {
  await flood({ print }, manyFiles)
  await console.close()
  const later = new Console({ dir, log })
  const pages: string[] = []

  for (let before: number | undefined; ; ) {
    const { from, to, isOldest, records } = await later.page(before)
    if (before !== undefined) expect(to).toBe(before)
    pages.unshift(Buffer.concat(records.map(({ text }) => text)).toString())
    before = from
    if (isOldest) break
  }

  expect(pages.length).toBeGreaterThan(10)
  expect(pages.join('') === `${numbered(0, manyFiles)}\n`).toBe(true)
  await later.close()
})

test('a page ends right before the requested position, also inside an entry', async ({ console, print }) => {
  await print('one\ntwo\nthree\n')

  const { from, to, isOldest, records } = await console.page(5)

  expect({ from, to, isOldest }).toEqual({ from: 0, to: 5, isOldest: true })
  expect(Buffer.concat(records.map(({ text }) => text)).toString()).toBe('one\nt')
})

test('a console that never printed has an empty history', async ({ console }) => {
  expect(await console.page()).toEqual({ from: 0, to: 0, isOldest: true, records: [] })
  expect(await console.search('x')).toEqual({ found: [] })
})

test('the whole log can be read as plain text', async ({ console, print }) => {
  await print('\x1b[1mready\x1b[0m\n')
  console.say('Server was told to stop')
  let whole = ''

  for await (const part of console.wholeText()) whole += part

  expect(whole).toBe('ready\n[DAEMON] Server was told to stop\n')
})

test('old log files are deleted with the next new one', async ({ print, dir }) => {
  const old = new Date(Date.now() - logRetentionMs - 1_000)
  await flood({ print }, manyFiles)
  const before = (await readdir(dir)).sort()
  await utimes(join(dir, before[0] as string), old, old)

  await flood({ print }, manyFiles)

  expect(await readdir(dir)).not.toContain(before[0])
  expect(await readdir(dir)).toContain(before[1])
})
