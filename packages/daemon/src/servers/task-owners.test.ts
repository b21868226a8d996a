import { limits } from '@innkeeper/contract/text/limits'
import { expect, test } from 'vitest'
import { assertTasksWithinLimits, assignTaskOwners, findUserId, maxTaskBytes, maxTasks } from './task-owners.ts'

const backup = { name: 'Backup', operations: [{ type: 'archive', source: ['world'], destination: 'world.zip' }] }

test('the user who changes a task becomes its owner, and of no other task', () => {
  const before = { backup: { ...backup, savedBy: 1 }, other: { ...backup, savedBy: 2 } }
  const after = { backup: { ...backup, name: 'Copies', savedBy: 1 }, other: { ...backup }, third: backup }

  expect(assignTaskOwners(after, before, 7)).toEqual({
    backup: { ...backup, name: 'Copies', savedBy: 7 },
    other: { ...backup, savedBy: 2 },
    third: { ...backup, savedBy: 7 },
  })
})

test('an owner that the definition itself names is ignored', () => {
  expect(assignTaskOwners({ backup: { ...backup, savedBy: 1 } }, undefined, 7)).toEqual({
    backup: { ...backup, savedBy: 7 },
  })
  expect(assignTaskOwners({ backup: { ...backup, savedBy: 1 } }, { backup }, undefined)).toEqual({ backup })
  expect(assignTaskOwners({ backup: { ...backup, savedBy: 1 } }, { backup: { ...backup, savedBy: 3 } }, 7)).toEqual({
    backup: { ...backup, savedBy: 3 },
  })
})

test('a value that is not a task is returned unchanged', () => {
  expect(assignTaskOwners({ a: 'x', b: null, c: [1] }, {}, 7)).toEqual({ a: 'x', b: null, c: [1] })
  expect(assignTaskOwners(null, {}, 7)).toBeNull()
  expect(assignTaskOwners(undefined, {}, 7)).toBeUndefined()
})

test('a definition may have as many tasks as the limit, or as many as it had before', () => {
  const tasks = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`task${at}`, backup]))
  const most = maxTasks

  for (const [after, before] of [
    [tasks(most), undefined],
    [tasks(most + 2), tasks(most + 2)],
    [null, tasks(1)],
  ])
    expect(() => assertTasksWithinLimits(after, before)).not.toThrow()
  for (const [after, before] of [
    [tasks(most + 1), undefined],
    [tasks(most + 3), tasks(most + 2)],
  ])
    expect(() => assertTasksWithinLimits(after, before)).toThrow(`The limit of ${most} is reached`)
})

test('a task may exceed the size limit only if it did before and does not grow', () => {
  const steps = (count: number, name = 'Steps') => ({
    name,
    operations: Array.from({ length: count }, () => ({ type: 'mkdir', target: 'a' })),
  })
  const text = (length: number, name = 'Text') => ({ name, operations: [], note: 'x'.repeat(length) })
  const check = (after: unknown, before?: unknown) => () =>
    assertTasksWithinLimits({ a: after }, before === undefined ? undefined : { a: before })

  expect(check(steps(limits.taskSteps))).not.toThrow()
  expect(check(steps(limits.taskSteps + 2, 'Other'), steps(limits.taskSteps + 2))).not.toThrow()
  expect(check(text(maxTaskBytes - 100))).not.toThrow()
  expect(check(text(maxTaskBytes + 50), text(maxTaskBytes + 100))).not.toThrow()
  for (const [refused, field] of [
    [check(steps(limits.taskSteps + 1)), 'tasks.a.operations'],
    [check(steps(limits.taskSteps + 3), steps(limits.taskSteps + 2)), 'tasks.a.operations'],
    [check(text(maxTaskBytes)), 'tasks.a'],
    [check(text(maxTaskBytes + 200), text(maxTaskBytes + 100)), 'tasks.a'],
  ] as const)
    expect(refused).toThrow(
      expect.objectContaining({ code: 'ErrFieldTooLarge', metadata: expect.objectContaining({ field }) }),
    )
})

test('the subject of a ticket is a user or the panel', () => {
  expect(['user:12', 'panel', 'user:', 'user:1 2'].map(findUserId)).toEqual([12, undefined, undefined, undefined])
})
