import { limits } from '@innkeeper/contract/limits'
import { taskEvents } from '@innkeeper/contract/tasks'
import { expect, test } from 'vitest'
import { LoopGuard } from './loop-guard.ts'

const backup = new Set(['backup'])
const both = new Set(['restart', 'start'])
const causesOf = (loopGuard: LoopGuard, now?: number) =>
  Object.fromEntries(taskEvents.map((event) => [event, [...loopGuard.causesOf(event, now)]]))

test('nobody is behind what happens by itself', () => {
  expect(causesOf(new LoopGuard())).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('whatever happens while a task starts or ends the server is its doing, and that of who set it off', () => {
  const loopGuard = new LoopGuard()
  const isThrough = loopGuard.beginAction(both, false)
  const all = ['restart', 'start']

  expect(causesOf(loopGuard)).toEqual({ started: all, stopped: all, crashed: all, console: all })
  isThrough()

  expect(causesOf(loopGuard)).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('a server that ends soon after a task started it ends by its doing; later it does not', () => {
  const loopGuard = new LoopGuard()
  loopGuard.beginAction(backup, true)()
  const now = performance.now()

  expect(causesOf(loopGuard, now)).toEqual({
    started: [],
    stopped: ['backup'],
    crashed: ['backup'],
    console: ['backup'],
  })
  expect(causesOf(loopGuard, now + limits.taskOwnStartMs)).toEqual({
    started: [],
    stopped: [],
    crashed: [],
    console: [],
  })
})

test('what is printed soon after a task typed something answers it, and nothing else does', () => {
  const loopGuard = new LoopGuard()
  loopGuard.recordInput(backup)
  loopGuard.recordInput(both)
  const now = performance.now()

  expect(causesOf(loopGuard, now)).toEqual({
    started: [],
    stopped: [],
    crashed: [],
    console: ['backup', 'restart', 'start'],
  })
  expect([...loopGuard.causesOf('console', now + limits.taskEchoMs)]).toEqual([])
})
