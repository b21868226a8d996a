import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, describe, expect, vi } from 'vitest'
import { NearParts } from './file-range.ts'

const content = randomBytes(1_000_000)
const asIs = (start: number, length: number) => content.subarray(start, start + length)

interface Ground {
  readonly parts: NearParts
  /** How much was to be read each time. */
  readonly reads: () => readonly number[]
}

const test = base.extend<{ ground: Ground }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the needs of a fixture from this pattern.
  ground: async ({}, use) => {
    const folder = mkdtempSync(join(tmpdir(), 'innkeeper-parts-'))
    writeFileSync(join(folder, 'content'), content)
    await using file = await open(join(folder, 'content'))
    const read = vi.spyOn(file as { read(into: Buffer, at: number, length: number): unknown }, 'read')
    await use({
      parts: new NearParts(file, content.length),
      reads: () => read.mock.calls.map(([, , length]) => length),
    })
    rmSync(folder, { recursive: true })
  },
})

const copied = async (bytes: Buffer) => Buffer.from(bytes)

describe('short parts of a file', () => {
  test('that stand one behind the other are read many at a time', async ({ ground: { parts, reads } }) => {
    for (let at = 0; at < content.length; at += 5000) {
      expect(await parts.with(at, 5000, copied)).toEqual(asIs(at, 5000))
    }

    expect(reads().length).toBeLessThan(6)
  })

  test('that are asked for at the same time share a read', async ({ ground: { parts, reads } }) => {
    const starts = [0, 3000, 6000, 9000]

    const found = await Promise.all(starts.map((start) => parts.with(start, 4000, copied)))

    expect(found).toEqual(starts.map((start) => asIs(start, 4000)))
    expect(reads()).toHaveLength(1)
  })

  test('that are far from each other are read alone', async ({ ground: { parts, reads } }) => {
    await parts.with(0, 100, copied)
    expect(await parts.with(900_000, 100, copied)).toEqual(asIs(900_000, 100))
    expect(await parts.with(400_000, 200, copied)).toEqual(asIs(400_000, 200))

    expect(reads().slice(1)).toEqual([100, 200])
  })

  test('are as long as the file allows', async ({ ground: { parts } }) => {
    expect(await parts.with(999_990, 100, copied)).toEqual(asIs(999_990, 10))
    expect(await parts.with(2_000_000, 100, copied)).toHaveLength(0)
  })

  test('may be longer than what is read at a time', async ({ ground: { parts } }) => {
    expect(await parts.with(10, 600_000, copied)).toEqual(asIs(10, 600_000))
  })

  test('stay while they are looked at, and their memory is let go of then', async ({ ground: { parts } }) => {
    const ended = Promise.withResolvers<void>()
    const begun = Promise.withResolvers<Buffer>()
    const looking = parts.with(0, 100, async (bytes) => {
      begun.resolve(bytes)
      await ended.promise
    })
    await parts.with(500_000, 100, copied)
    const seen = await begun.promise
    expect(seen).toEqual(asIs(0, 100))

    ended.resolve()
    await looking
    expect(seen).toHaveLength(0)
  })
})
