import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, realpathSync, statSync, symlinkSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DataInUse, lockData } from './data-lock.ts'

test('a data folder is for one Innkeeper at a time, by whatever name it is reached', () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  symlinkSync(folder, `${folder}-link`)
  const first = lockData(folder)

  expect(() => lockData(`${folder}-link`)).toThrow(DataInUse)

  first.release()
  lockData(folder).release()
})

test('a process of another user cannot keep Innkeeper from starting', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  // Abstract socket names follow from the path and are open to every user of the machine.
  const hash = createHash('sha256').update(realpathSync(folder)).digest('hex')
  const hostile = createServer().listen(`\0innkeeper-${hash}`)
  await once(hostile, 'listening')

  lockData(folder).release()

  hostile.close()
})

test('the lock is in a folder that only Innkeeper may enter, also where that was open before', () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  mkdirSync(join(folder, 'run'), { mode: 0o777 })

  const lock = lockData(folder)

  expect(statSync(join(folder, 'run')).mode & 0o777).toBe(0o700)
  lock.release()
})
