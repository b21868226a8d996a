import { lstatSync, mkdirSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { test } from '../../testing/test-directory.ts'
import { DirHandle } from '../path/dir-handle.ts'
import { parsePath } from '../path/safe-path.ts'
import type { FileInfo } from './file-info.ts'
import { Listing } from './listing.ts'

test('a large directory is listed completely, whatever its names', async ({ fixture: { inside, files } }) => {
  const folder = join(inside, 'many')
  mkdirSync(folder)
  for (let at = 0; at < 1500; at++) writeFileSync(join(folder, `file ${at}`), 'x'.repeat(at % 7))
  writeFileSync(Buffer.concat([Buffer.from(`${folder}/caf`), Buffer.from([0xe9])]), 'latin')
  writeFileSync(join(folder, 'schön 🎲'), 'text')
  writeFileSync(join(folder, '.innkeeper-1234.tmp'), 'not whole yet')
  symlinkSync('/etc/passwd', join(folder, 'out'))
  mkdirSync(join(folder, 'below'))

  const found = new Map<string, FileInfo>()
  for (const info of await files.readdir(parsePath('many'))) found.set(info.name, info)

  expect(found.size).toBe(1504)
  for (let at = 0; at < 1500; at++) expect(found.get(`file ${at}`)).toMatchObject({ kind: 'file', size: at % 7 })
  const { mtimeMs } = lstatSync(join(folder, 'file 1499'))
  expect(found.get('file 1499')?.modified.getTime()).toBe(Math.round(mtimeMs))
  expect(found.get('caf�')).toMatchObject({ kind: 'file', size: 5, isReachable: false })
  expect(found.get('schön 🎲')).toMatchObject({ kind: 'file', size: 4, isReachable: true })
  expect(found.get('out')).toMatchObject({ kind: 'link', size: 11 })
  expect(found.get('below')).toMatchObject({ kind: 'folder' })
})

test('entries that disappear while a large directory is listed are skipped', async ({ fixture: { inside } }) => {
  for (let at = 0; at < 1500; at++) writeFileSync(join(inside, `file ${at}`), '')
  await using folder = await DirHandle.open(inside)
  const listing = await Listing.of(folder)
  const named = (name: string | Buffer) => String(name)

  const first = await listing.nextBatch(folder, named)
  for (let at = 0; at < 1500; at++)
    if (!first.includes(`file ${at}`) && at !== 700) unlinkSync(join(inside, `file ${at}`))
  const rest: string[] = []
  for (;;) {
    const nextBatch = await listing.nextBatch(folder, named)
    if (nextBatch.length === 0) break
    rest.push(...nextBatch)
  }

  expect(rest).toEqual(first.includes('file 700') ? [] : ['file 700'])
})
