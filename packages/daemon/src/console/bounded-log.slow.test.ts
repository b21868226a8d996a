import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { FakeRun } from '../testing/fake-environment.ts'
import { Console } from './console.ts'
import { maxLogFileBytes, maxLogFiles } from './log.ts'

test('the log on disk is bounded', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'console-'))
  onTestFinished(() => rm(dir, { recursive: true }))
  const console = new Console({ dir, log: pino({ level: 'silent' }) })
  const run = new FakeRun({ key: '0a0a0a0a/main', id: 'a', pid: 1 })
  void console.follow(run, { isNew: true })
  const megabyte = `${'x'.repeat(1023)}\n`.repeat(1024)

  const tooMuch = 1.5 * maxLogFiles * (maxLogFileBytes / megabyte.length)
  for (let count = 0; count < tooMuch; count++) {
    run.print(megabyte)
    await console.flushed()
  }

  const sizes = await Promise.all((await readdir(dir)).map(async (name) => (await stat(join(dir, name))).size))
  expect(sizes.length).toBe(maxLogFiles)
  expect(Math.max(...sizes)).toBeLessThan(maxLogFileBytes + 2 * 1024 * 1024)
  await console.close()
})
