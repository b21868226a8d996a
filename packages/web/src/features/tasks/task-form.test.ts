import type { TaskView } from '@innkeeper/contract/servers/tasks'
import { expect, test } from 'vitest'
import { canSave, normalizeTask, type TaskForm, toTask, toTaskForm } from './task-form.ts'

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

test('a new task has no name, no steps and a disabled default schedule', () => {
  expect(toTaskForm()).toMatchObject({ name: '', isScheduled: false, cron: '0 0 */1 * *', steps: [] })
})

test('an unchanged form saves the same task, without the fields of the node', () => {
  const { savedBy: _, isRunning: __, nextRun: ___, version: ____, ...task } = view

  expect(toTask(toTaskForm(view), view)).toEqual({
    ...task,
    triggers: [{ event: 'crashed' }, { event: 'console', pattern: 'panic' }],
  })
})

test('unknown fields are kept', () => {
  const other = { ...view, description: 'for the evening' }

  expect(toTask({ ...toTaskForm(other), name: ' Evening ' }, other)).toMatchObject({
    name: 'Evening',
    description: 'for the evening',
  })
})

test('a disabled schedule is cleared, and empty patterns are left out', () => {
  const task = toTask({ ...toTaskForm(view), isScheduled: false, patterns: ['', 'panic', ''] }, view)

  expect(task.cronSchedule).toBeNull()
  expect(task.triggers).toEqual([{ event: 'crashed' }, { event: 'console', pattern: 'panic' }])
})

test.each<[string, Partial<TaskForm>, boolean]>([
  ['a name and a schedule', {}, true],
  ['no name', { name: '' }, false],
  ['a name of spaces', { name: '  \t' }, false],
  ['an empty schedule', { cron: ' ' }, true],
  ['an alias', { cron: '@daily' }, true],
  ['a blank day field', { cron: '30 6 ? * 1,4' }, true],
  ['six parts', { cron: '*/10 * * * * *' }, true],
  ['an invalid schedule', { cron: 'every now and then' }, false],
  ['a schedule that never runs', { cron: '0 0 31 2 *' }, false],
  ['an invalid schedule that is disabled', { cron: 'every now and then', isScheduled: false }, true],
])('whether it can be saved: %s', (_, part, expected) => {
  expect(canSave({ ...toTaskForm(view), ...part })).toBe(expected)
})

test('values that are not saved are not a change', () => {
  const saved = toTaskForm({ ...view, cronSchedule: null })

  expect(normalizeTask({ ...saved, cron: '0 5 */1 * ?' })).toEqual(normalizeTask(saved))
  expect(normalizeTask({ ...saved, patterns: ['panic', ''] })).toEqual(normalizeTask(saved))
  expect(normalizeTask({ ...saved, isScheduled: true })).not.toEqual(normalizeTask(saved))
  expect(normalizeTask({ ...saved, steps: [] })).not.toEqual(normalizeTask(saved))
})
