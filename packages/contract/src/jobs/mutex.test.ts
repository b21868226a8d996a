import { expect, test } from 'vitest'
import { withLock } from './mutex.ts'

/** A function for the lock that records its start and end, and ends when the test calls `end`. */
function slowAct(name: string, log: string[]) {
  const { promise, resolve: end } = Promise.withResolvers<void>()
  const act = async () => {
    log.push(`${name} begins`)
    await promise
    log.push(`${name} ends`)
    return name
  }
  return { act, end }
}

test('calls with a common key run one after another, calls with other keys concurrently', async () => {
  const log: string[] = []
  const [first, second, other] = [slowAct('first', log), slowAct('second', log), slowAct('other', log)]

  const running = [withLock(['a', 'b'], first.act), withLock(['b', 'c'], second.act), withLock(['d', 'd'], other.act)]
  other.end()
  await running[2]
  second.end()
  first.end()

  expect(await Promise.all(running)).toEqual(['first', 'second', 'other'])
  const own = log.filter((line) => !line.startsWith('other'))
  expect(own).toEqual(['first begins', 'first ends', 'second begins', 'second ends'])
  expect(log.indexOf('other ends')).toBeLessThan(log.indexOf('first ends'))
})

test('the next call runs after one that fails', async () => {
  const failing = withLock(['a'], () => Promise.reject(new Error('the disk is full')))
  const next = withLock(['a'], async () => 'done')

  await expect(failing).rejects.toThrow('the disk is full')
  expect(await next).toBe('done')
})
