import { taskEvents } from '@innkeeper/contract/servers/tasks'
import { expect, test } from 'vitest'
import { echoMs, LoopGuard, startEventsMs } from './loop-guard.ts'

const backup = new Set(['backup'])
const both = new Set(['restart', 'start'])
const getCauses = (loopGuard: LoopGuard, now?: number) =>
  Object.fromEntries(taskEvents.map((event) => [event, [...loopGuard.getCauses(event, now)]]))

test('events without a task have no causes', () => {
  expect(getCauses(new LoopGuard())).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('while a task starts or stops the server, every event has the task and its causes as causes', () => {
  const loopGuard = new LoopGuard()
  const endAction = loopGuard.beginAction(both, false)
  const all = ['restart', 'start']

  expect(getCauses(loopGuard)).toEqual({ started: all, stopped: all, crashed: all, console: all })
  endAction()

  expect(getCauses(loopGuard)).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('an exit soon after a start by a task is caused by it; a later one is not', () => {
  const loopGuard = new LoopGuard()
  loopGuard.beginAction(backup, true)()
  const now = performance.now()

  expect(getCauses(loopGuard, now)).toEqual({
    started: [],
    stopped: ['backup'],
    crashed: ['backup'],
    console: ['backup'],
  })
  expect(getCauses(loopGuard, now + startEventsMs)).toEqual({
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

  expect(getCauses(loopGuard, now)).toEqual({
    started: [],
    stopped: [],
    crashed: [],
    console: ['backup', 'restart', 'start'],
  })
  expect([...loopGuard.getCauses('console', now + echoMs)]).toEqual([])
})
