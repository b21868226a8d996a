import { randomBytes } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, statfsSync } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test } from '../testing/ground.ts'
import { DirectFile } from './direct-file.ts'
import { giveWriteBlock, isAligned, takeAlignedBlock, takeWriteBlock } from './write-memory.ts'

test('only memory and places that a disk takes fit', () => {
  const block = takeAlignedBlock()

  expect(DirectFile.fits(block, 0)).toBe(true)
  expect(DirectFile.fits(block, 64 * 1024)).toBe(true)
  expect(DirectFile.fits(block, 1000)).toBe(false)
  expect(DirectFile.fits(Buffer.alloc(block.length), 0)).toBe(false)
  giveWriteBlock(block)
})

test('a block is written where it belongs; one that the disk does not take so is not', async ({
  ground: { inside },
}) => {
  const block = takeAlignedBlock()
  randomBytes(block.length).copy(block)
  await using file = await open(join(inside, 'a'), 'w')
  await using direct = await DirectFile.into(file)

  // Elsewhere there is nothing to be shown.
  expect(direct !== undefined).toBe([0xef53, 0x58465342].includes(statfsSync(inside).type))
  if (direct) {
    expect(await direct.write(block, 4096)).toBe(block.length)
    expect(await direct.write(block, 1000)).toBe(0)
    expect(readFileSync(join(inside, 'a')).equals(Buffer.concat([Buffer.alloc(4096), block]))).toBe(true)
  }
  giveWriteBlock(block)
})

test('a disk in memory has no such way', async () => {
  const dir = mkdtempSync('/dev/shm/innkeeper-')
  try {
    await using file = await open(join(dir, 'a'), 'w')
    expect(await DirectFile.into(file)).toBeUndefined()
  } finally {
    rmSync(dir, { recursive: true })
  }
})

test('blocks are used again; where there is no aligned one left, another is given', () => {
  const taken = Array.from({ length: 40 }, takeAlignedBlock)
  const [some] = taken
  const plain = takeWriteBlock()

  for (const block of [...taken, plain]) giveWriteBlock(block)
  const again = Array.from({ length: 16 }, takeAlignedBlock)

  expect(taken.filter(isAligned)).toHaveLength(16)
  expect(isAligned(plain)).toBe(false)
  expect(again).toContain(some)
  expect(again.every(isAligned)).toBe(true)
  for (const block of again) giveWriteBlock(block)
})
