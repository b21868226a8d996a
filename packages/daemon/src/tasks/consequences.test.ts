import { limits } from '@innkeeper/contract/limits'
import { taskEvents } from '@innkeeper/contract/tasks'
import { expect, test } from 'vitest'
import { Consequences } from './consequences.ts'

const backup = new Set(['backup'])
const both = new Set(['restart', 'start'])
const behind = (consequences: Consequences, now?: number) =>
  Object.fromEntries(taskEvents.map((event) => [event, [...consequences.behind(event, now)]]))

test('nobody is behind what happens by itself', () => {
  expect(behind(new Consequences())).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('whatever happens while a task starts or ends the server is its doing, and that of who set it off', () => {
  const consequences = new Consequences()
  const isThrough = consequences.act(both, false)
  const all = ['restart', 'start']

  expect(behind(consequences)).toEqual({ started: all, stopped: all, crashed: all, console: all })
  isThrough()

  expect(behind(consequences)).toEqual({ started: [], stopped: [], crashed: [], console: [] })
})

test('a server that ends soon after a task started it ends by its doing; later it does not', () => {
  const consequences = new Consequences()
  consequences.act(backup, true)()
  const now = performance.now()

  expect(behind(consequences, now)).toEqual({
    started: [],
    stopped: ['backup'],
    crashed: ['backup'],
    console: ['backup'],
  })
  expect(behind(consequences, now + limits.taskOwnStartMs)).toEqual({
    started: [],
    stopped: [],
    crashed: [],
    console: [],
  })
})

test('what is printed soon after a task typed something answers it, and nothing else does', () => {
  const consequences = new Consequences()
  consequences.type(backup)
  consequences.type(both)
  const now = performance.now()

  expect(behind(consequences, now)).toEqual({
    started: [],
    stopped: [],
    crashed: [],
    console: ['backup', 'restart', 'start'],
  })
  expect([...consequences.behind('console', now + limits.taskEchoMs)]).toEqual([])
})
