import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, describe, expect, vi } from 'vitest'
import { ReadWindow } from './file-range.ts'

const content = randomBytes(1_000_000)
const range = (start: number, length: number) => content.subarray(start, start + length)

interface Fixture {
  readonly window: ReadWindow
  /** The lengths of all reads of the file. */
  readonly reads: () => readonly number[]
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  fixture: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-parts-'))
    writeFileSync(join(folder, 'content'), content)
    await using file = await open(join(folder, 'content'))
    const read = vi.spyOn(file as { read(into: Buffer, at: number, length: number): unknown }, 'read')
    await use({
      window: new ReadWindow(file, content.length),
      reads: () => read.mock.calls.map(([, , length]) => length),
    })
    rmSync(folder, { recursive: true })
  },
})

describe('short ranges of a file', () => {
  test('that are consecutive share one read', async ({ fixture: { window, reads } }) => {
    for (let at = 0; at < content.length; at += 5000) {
      expect(await window.read(at, 5000)).toEqual(range(at, 5000))
    }

    expect(reads().length).toBeLessThan(6)
  })

  test('that are read concurrently share one read', async ({ fixture: { window, reads } }) => {
    const starts = [0, 3000, 6000, 9000]

    const found = await Promise.all(starts.map((start) => window.read(start, 4000)))

    expect(found).toEqual(starts.map((start) => range(start, 4000)))
    expect(reads()).toHaveLength(1)
  })

  test('that are far apart are read one by one', async ({ fixture: { window, reads } }) => {
    await window.read(0, 100)
    expect(await window.read(900_000, 100)).toEqual(range(900_000, 100))
    expect(await window.read(400_000, 200)).toEqual(range(400_000, 200))

    expect(reads().slice(1)).toEqual([100, 200])
  })

  test('end at the end of the file', async ({ fixture: { window } }) => {
    expect(await window.read(999_990, 100)).toEqual(range(999_990, 10))
    expect(await window.read(2_000_000, 100)).toHaveLength(0)
  })

  test('may be longer than the window', async ({ fixture: { window } }) => {
    expect(await window.read(10, 600_000)).toEqual(range(10, 600_000))
  })
})
