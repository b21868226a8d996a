import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { getPriority } from 'node:os'
import { expect, vi } from 'vitest'
import { parsePath } from '../../files/path/safe-path.ts'
import { Progress } from '../../files/tree/progress.ts'
import { test } from '../../testing/archive-fixture.ts'
import { packArchive } from '../archives.ts'
import { blockBytes } from './archive-pieces.ts'

test('several archives are packed concurrently', async ({ fixture }) => {
  const names = ['one', 'two', 'three', 'four', 'five']
  for (const name of names) fixture.put(`${name}/level.dat`, randomBytes(3 * blockBytes))

  await Promise.all(names.map((name) => fixture.pack(`${name}.zip`, name)))

  for (const name of names) await fixture.unpack(`${name}.zip`)
  for (const name of names) expect(() => fixture.run('diff', '-r', name, `out/${name}`)).not.toThrow()
})

test('a failure of `write` ends the packing with that error, and does not affect others', async ({ fixture }) => {
  fixture.put('world/level.dat', randomBytes(40 * blockBytes))
  const full = Object.assign(new Error('no space'), { code: 'ENOSPC' })
  let writes = 0
  const failing = packArchive({
    files: fixture.files,
    paths: [parsePath('world')],
    kind: 'zip',
    progress: new Progress(),
    signal: new AbortController().signal,
    write: async () => {
      writes++
      throw full
    },
  })
  const other = fixture.pack('other.zip', 'world')

  await expect(failing).rejects.toBe(full)
  expect(writes).toBe(1)
  await other
  await fixture.unpack('other.zip')
  expect(() => fixture.run('diff', '-r', 'world', 'out/world')).not.toThrow()
})

test('progress and totals are reported meanwhile', async ({ fixture }) => {
  for (let at = 0; at < 20; at++) fixture.put(`world/${at}.bin`, randomBytes(blockBytes))
  const progress = new Progress()
  const seen: (number | undefined)[] = []

  await packArchive({
    ...{ files: fixture.files, paths: [parsePath('world')], kind: 'tar', isCounted: true, progress },
    signal: new AbortController().signal,
    write: async () => {
      // Continues when the progress was observed.
      if (seen.length === 0) await vi.waitUntil(() => progress.totalEntries !== undefined)
      seen.push(progress.entries)
    },
  })

  expect(seen[0]).toBeLessThan(21)
  expect(progress).toMatchObject({ entries: 21, totalEntries: 21, bytes: 20 * blockBytes, totalBytes: 20 * blockBytes })
})

test('an archive is written in chunks of at most one block', async ({ fixture }) => {
  fixture.put('world/b-large.bin', randomBytes(4 * blockBytes))
  const parts: number[] = []

  await packArchive({
    ...{ files: fixture.files, paths: [parsePath('world')], kind: 'zip', progress: new Progress() },
    signal: new AbortController().signal,
    write: async ({ length }) => void parts.push(length),
  })

  expect(parts.length).toBeGreaterThan(3)
  expect(Math.max(...parts)).toBeLessThanOrEqual(blockBytes)
})

test('the thread has a low priority', async ({ fixture }) => {
  fixture.put('world/a.txt', 'a')
  await fixture.pack('a.zip', 'world')

  // Field 19 of `stat`; field 2 may contain spaces.
  const getNice = (task: string) =>
    Number(readFileSync(`/proc/self/task/${task}/stat`, 'latin1').split(') ')[1]?.split(' ')[16])

  expect(readdirSync('/proc/self/task').map(getNice)).toContain(Math.min(19, getPriority() + 10))
  expect(getNice(String(process.pid))).toBe(getPriority())
})
