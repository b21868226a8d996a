import { expect, test } from 'vitest'
import { CacheHeuristic } from './cache-heuristic.ts'

test('a disk is read synchronously as long as it is fast, and again after a while', async () => {
  // Memory, on every Linux.
  const syncIo = await CacheHeuristic.of('/dev/shm')

  const asked: boolean[] = []
  for (const wasQuick of [true, true, true, false, ...Array(9).fill(true)]) {
    asked.push(syncIo.mayBlock)
    syncIo.record(wasQuick)
  }

  expect(asked.map((isHere) => (isHere ? 'here' : 'thread')).join(' ')).toBe(
    'thread thread here here thread thread thread thread thread thread thread thread here',
  )
})

test('a file system that may never respond is only read asynchronously', async () => {
  const syncIo = await CacheHeuristic.of('/proc')

  for (let at = 0; at < 100; at++) syncIo.record(true)

  expect(syncIo.mayBlock).toBe(false)
})
