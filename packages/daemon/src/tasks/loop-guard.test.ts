import { taskEvents } from '@innkeeper/contract/servers/tasks'
import { expect, test } from 'vitest'
import { echoMs, LoopGuard, startEventsMs } from './loop-guard.ts'

const backup = new Set(['backup'])
const both = new Set(['restart', 'start'])
const causesOf = (loopGuard: LoopGuard, now?: number) =>
  Object.fromEntries(taskEvents.map((event) => [event, [...loopGuard.causesOf(event, now)]]))

test('events without a task have no causes', () => {
  expect(causesOf(new LoopGuard())).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('while a task starts or stops the server, every event has the task and its causes as causes', () => {
  const loopGuard = new LoopGuard()
  const endAction = loopGuard.beginAction(both, false)
  const all = ['restart', 'start']

  expect(causesOf(loopGuard)).toEqual({ started: all, stopped: all, crashed: all, console: all })
  endAction()

  expect(causesOf(loopGuard)).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('an exit soon after a start by a task is caused by it; a later one is not', () => {
  const loopGuard = new LoopGuard()
  loopGuard.beginAction(backup, true)()
  const now = performance.now()

  expect(causesOf(loopGuard, now)).toEqual({
    started: [],
    stopped: ['backup'],
    crashed: ['backup'],
    console: ['backup'],
  })
  expect(causesOf(loopGuard, now + startEventsMs)).toEqual({
    started: [],
    stopped: [],
    crashed: [],
    console: [],
  })
})

test('output soon after input by a task is caused by it, and nothing else is', () => {
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
  expect([...loopGuard.causesOf('console', now + echoMs)]).toEqual([])
})
