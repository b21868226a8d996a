import { expect, test } from 'vitest'
import { AnswerPace } from './answer-pace.ts'

test('a disk is asked without a thread as long as it is quick, and again after a while', async () => {
  // Memory, on every Linux.
  const pace = await AnswerPace.of('/dev/shm')

  const asked: boolean[] = []
  for (const wasQuick of [true, true, true, false, ...Array(9).fill(true)]) {
    asked.push(pace.isQuick)
    pace.found(wasQuick)
  }

  expect(asked.map((isHere) => (isHere ? 'here' : 'thread')).join(' ')).toBe(
    'thread thread here here thread thread thread thread thread thread thread thread here',
  )
})

test('what may not answer for ever is asked by threads alone', async () => {
  const pace = await AnswerPace.of('/proc')

  for (let at = 0; at < 100; at++) pace.found(true)

  expect(pace.isQuick).toBe(false)
})
