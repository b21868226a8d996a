import type { TaskView } from '@innkeeper/contract/tasks'
import { expect, test } from 'vitest'
import { formOf, hasChanged, maySave, type TaskForm, taskOf } from './task-form.ts'

const view: TaskView = {
  name: 'Warn and restart',
  cronSchedule: '30 6 ? * 1,4',
  operations: [{ type: 'stdin', command: 'say soon' }],
  timezone: 'Europe/Berlin',
  catchUp: true,
  triggers: [{ event: 'console', pattern: 'panic' }, { event: 'crashed' }],
  savedBy: 1,
  isRunning: false,
  nextRun: '2026-11-23T05:30:00.000Z',
  version: 'v1',
}

test('a new task has no name and no steps, and the default schedule switched off', () => {
  expect(formOf()).toMatchObject({ name: '', isScheduled: false, cron: '0 0 */1 * *', steps: [] })
})

test('a task that is saved as it was read says the same, without what the node adds', () => {
  const { savedBy: _, isRunning: __, nextRun: ___, version: ____, ...task } = view

  expect(taskOf(formOf(view), view)).toEqual({
    ...task,
    triggers: [{ event: 'crashed' }, { event: 'console', pattern: 'panic' }],
  })
})

test('fields that the dialog does not know stay', () => {
  const other = { ...view, description: 'for the evening' }

  expect(taskOf({ ...formOf(other), name: ' Evening ' }, other)).toMatchObject({
    name: 'Evening',
    description: 'for the evening',
  })
})

test('switched off, the schedule is cleared; empty patterns are left out', () => {
  const task = taskOf({ ...formOf(view), isScheduled: false, patterns: ['', 'panic', ''] }, view)

  expect(task.cronSchedule).toBeNull()
  expect(task.triggers).toEqual([{ event: 'crashed' }, { event: 'console', pattern: 'panic' }])
})

test.each<[string, Partial<TaskForm>, boolean]>([
  ['a name and a schedule', {}, true],
  ['no name', { name: '' }, false],
  ['a name of blanks', { name: '  \t' }, false],
  ['an empty schedule', { cron: ' ' }, true],
  ['an alias', { cron: '@daily' }, true],
  ['a blank day field', { cron: '30 6 ? * 1,4' }, true],
  ['six parts', { cron: '*/10 * * * * *' }, true],
  ['no schedule at all', { cron: 'every now and then' }, false],
  ['a schedule that never comes due', { cron: '0 0 31 2 *' }, false],
  ['a wrong schedule that is switched off', { cron: 'every now and then', isScheduled: false }, true],
])('with %s it can be saved or not', (_, part, expected) => {
  expect(maySave({ ...formOf(view), ...part })).toBe(expected)
})

test('what is not saved is no change', () => {
  const from = formOf({ ...view, cronSchedule: null })

  expect(hasChanged({ ...from, cron: '0 5 */1 * ?' }, from)).toBe(false)
  expect(hasChanged({ ...from, patterns: ['panic', ''] }, from)).toBe(false)
  expect(hasChanged({ ...from, isScheduled: true }, from)).toBe(true)
  expect(hasChanged({ ...from, steps: [] }, from)).toBe(true)
})
