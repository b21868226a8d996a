import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { DataInUse, lockData } from './data-lock.ts'

test('a data folder is for one Innkeeper at a time, by whatever name it is reached', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'innkeeper-lock-'))
  symlinkSync(folder, `${folder}-link`)
  const first = await lockData(folder)

  await expect(lockData(`${folder}-link`)).rejects.toThrow(DataInUse)

  await new Promise((done) => first.close(done))
  const second = await lockData(folder)
  second.close()
})
