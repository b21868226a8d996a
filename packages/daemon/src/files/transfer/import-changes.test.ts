import {
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test as base, expect, vi } from 'vitest'
import { findChanges, packChanges } from './export-changes.ts'
import { importChanges } from './import-changes.ts'
import { gather } from './pack.ts'
import type { TreePart } from './tree-part.ts'
import { walkParts } from './tree-state.ts'

const { signal } = new AbortController()

interface Fixture {
  readonly from: TreePart
  readonly to: TreePart
  /** The files and directories that were synced, by their names at that time. */
  readonly synced: string[]
}

const test = base.extend<{ nodes: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: Vitest reads the dependencies of a fixture from this pattern.
  nodes: async ({}, use) => {
    const create = () => mkdtempSync(join(tmpdir(), 'innkeeper-transfer-'))
    const [from, to] = [create(), create()].map((directory) => ({ name: 'files', directory, owner: undefined }))
    if (!from || !to) return
    const synced: string[] = []
    const one = await open('/dev/null')
    const prototype: FileHandle = Object.getPrototypeOf(one)
    await one.close()
    const { sync } = prototype
    const spy = vi.spyOn(prototype, 'sync').mockImplementation(async function (this: FileHandle) {
      synced.push(readlinkSync(`/proc/self/fd/${this.fd}`).slice(to.directory.length))
      await sync.call(this)
    })
    await use({ from, to, synced })
    spy.mockRestore()
    for (const { directory } of [from, to]) rmSync(directory, { recursive: true })
  },
})

interface PassOptions {
  readonly sinceMs?: number
  readonly isSynced?: boolean
  readonly damage?: (packed: Buffer) => void
}

/** One pass; returns the size of what was sent. */
async function pass(
  { from, to }: Fixture,
  { sinceMs = 0, isSynced = true, damage = () => {} }: PassOptions = {},
): Promise<number> {
  const known = new Map<string, string>()
  for await (const { path, state } of walkParts([to], signal)) known.set(path, state)
  const changes = await findChanges({ parts: [from], known, sinceMs, signal })
  const pieces: Buffer[] = []
  for await (const piece of gather(packChanges(changes, signal))) pieces.push(piece)
  const packed = Buffer.concat(pieces)
  damage(packed)
  // Pieces that end anywhere, as they arrive from a network.
  const body = (async function* () {
    for (let at = 0; at < packed.length; at += 60_000) yield packed.subarray(at, at + 60_000)
  })()
  const parts = async () => [to]
  await importChanges({ findPart: () => to, parts, body, isFinal: true, isSynced, signal })
  return changes.bytes
}

const write = ({ directory }: TreePart, name: string, text: string) => writeFileSync(join(directory, name), text)
const read = ({ directory }: TreePart, name: string) => readFileSync(join(directory, name), 'utf8')

test('files are on disk before they get their names, and then the names', async ({ nodes }) => {
  const { from, to, synced } = nodes
  const large = 'region'.repeat(300_000)
  write(from, 'region', large)
  write(from, 'level', 'level')
  write(to, 'old', 'old')

  await pass(nodes)

  expect(readdirSync(to.directory).sort()).toEqual(['level', 'region'])
  expect([read(to, 'region') === large, read(to, 'level')]).toEqual([true, 'level'])
  expect(synced).toHaveLength(3)
  expect(synced.slice(0, 2)).toEqual([expect.stringMatching(/\.tmp$/), expect.stringMatching(/\.tmp$/)])
  expect(synced[2]).toBe('')
})

test('many small files, and those of a pass that was interrupted, are synced together', async ({ nodes }) => {
  const { from, to, synced } = nodes
  for (let at = 0; at < 100; at++) write(from, `${at}`, 'small')
  await pass(nodes)
  const { length } = synced
  write(from, 'level', 'level')
  await pass(nodes, { isSynced: false })

  expect(readdirSync(to.directory)).toHaveLength(101)
  expect([length, synced.length]).toEqual([64, 64])
})

test('a file whose content changes while its size and time stay is sent again', async ({ nodes }) => {
  const { from, to } = nodes
  write(from, 'level', 'level')
  await pass(nodes)
  const since = Date.now() - 1_000
  const { atime, mtime } = statSync(join(from.directory, 'level'))
  write(from, 'level', 'LEVEL')
  utimesSync(join(from.directory, 'level'), atime, mtime)

  expect(await pass(nodes)).toBe(0)
  expect(await pass(nodes, { sinceMs: since })).toBe(5)
  expect(read(to, 'level')).toBe('LEVEL')
})

test('a file that arrives damaged is not stored', async ({ nodes }) => {
  const { from, to } = nodes
  write(from, 'level', 'new level')
  write(to, 'level', 'old')
  const damage = (packed: Buffer) => {
    packed.write('x', packed.indexOf('new level'))
  }

  await expect(pass(nodes, { damage })).rejects.toMatchObject({ code: 'ErrCopyDiffers' })

  expect(readdirSync(to.directory)).toEqual(['level'])
  expect(read(to, 'level')).toBe('old')
})
