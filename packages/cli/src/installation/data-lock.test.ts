import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DatabaseLockedError, DataDirLockedError, lockData, lockDatabase } from './data-lock.ts'

test('a data folder is used by one Innkeeper at a time, by any of its paths', () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  symlinkSync(folder, `${folder}-link`)
  const first = lockData(folder)

  expect(() => lockData(`${folder}-link`)).toThrow(DataDirLockedError)

  first.release()
  lockData(folder).release()
})

test('an embedded database is used by one panel at a time, by any path of its file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  const fresh = lockDatabase(`sqlite:${join(folder, 'panel.db')}`)
  writeFileSync(join(folder, 'panel.db'), '')
  symlinkSync(folder, `${folder}-link`)
  symlinkSync(join(folder, 'panel.db'), join(folder, 'other.db'))

  for (const path of [join(folder, 'panel.db'), join(`${folder}-link`, 'panel.db'), join(folder, 'other.db')])
    expect(() => lockDatabase(`sqlite:${path}`)).toThrow(DatabaseLockedError)

  fresh?.release()
  lockDatabase(`sqlite:${join(folder, 'other.db')}`)?.release()
})

test('panels may share a database on a server', () => {
  const url = 'postgres://panel@db.example.org/innkeeper'

  expect([lockDatabase(url), lockDatabase(url)]).toEqual([undefined, undefined])
})

test('a process of another user cannot prevent the start', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  // Abstract socket names are derived from the path, and any user of the machine could use them.
  const hash = createHash('sha256').update(realpathSync(folder)).digest('hex')
  const hostile = createServer().listen(`\0innkeeper-${hash}`)
  await once(hostile, 'listening')

  lockData(folder).release()

  hostile.close()
})

test('the lock is in a folder that only Innkeeper may enter, also if that had other permissions before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  mkdirSync(join(folder, 'run'), { mode: 0o777 })

  const lock = lockData(folder)

  expect(statSync(join(folder, 'run')).mode & 0o777).toBe(0o700)
  lock.release()
})
