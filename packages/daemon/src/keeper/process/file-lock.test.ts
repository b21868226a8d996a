import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tryLockFile } from './file-lock.ts'

const module = new URL('./file-lock.ts', import.meta.url).href

/** Prints whether it got the lock, and keeps it until its stdin ends. */
const locker = `
  import { tryLockFile } from ${JSON.stringify(module)}
  const lock = tryLockFile(process.argv[1])
  process.stdout.write(lock ? 'locked' : 'taken')
  if (lock) process.stdin.on('end', () => lock.release()).resume()
`

async function startLocker(path: string) {
  const child = spawn(process.execPath, ['--input-type=module-typescript', '-e', locker, path], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [answer] = (await once(child.stdout, 'data')) as [Buffer]
  return { child, answer: String(answer) }
}

test('of several processes that lock a file at the same time exactly one gets it', async () => {
  const path = join(await mkdtemp(join(tmpdir(), 'innkeeper-lock-')), 'x.lock')

  for (let round = 0; round < 3; round++) {
    const lockers = await Promise.all(Array.from({ length: 4 }, () => startLocker(path)))
    for (const { child } of lockers) child.stdin.end()
    for (const { child } of lockers) if (child.exitCode === null) await once(child, 'exit')

    expect(lockers.map(({ answer }) => answer).toSorted()).toEqual(['locked', 'taken', 'taken', 'taken'])
  }
})

test('the lock of a killed process is released', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-lock-'))
  const path = join(folder, 'x.lock')
  const { child, answer } = await startLocker(path)
  expect([answer, tryLockFile(path)]).toEqual(['locked', undefined])

  child.kill('SIGKILL')
  await once(child, 'exit')

  const lock = tryLockFile(path)
  expect(lock).toBeDefined()
  expect(tryLockFile(path)).toBeUndefined()
  lock?.release()
  tryLockFile(path)?.release()
  expect(await readdir(folder)).toEqual(['x.lock'])
})

test('a failure to lock is an error, not a lock held by another process', () => {
  expect(() => tryLockFile('/proc/none/x.lock')).toThrow('unable to open database file')
})
