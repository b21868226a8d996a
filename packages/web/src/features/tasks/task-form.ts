import type { Step } from '@innkeeper/contract/definitions/operations'
import { cronProblem } from '@innkeeper/contract/jobs/cron'
import {
  readOnlyTaskFields,
  type Task,
  type TaskEvent,
  type TaskTrigger,
  type TaskView,
} from '@innkeeper/contract/servers/tasks'
import { removeBlankLines } from '../steps/step-rules.ts'
import { defaultCron } from './cron-fields.ts'

/** The events without a pattern, in the order of the form. */
export const plainEvents = ['started', 'stopped', 'crashed'] as const
export type PlainEvent = Exclude<TaskEvent, 'console'>

/** The values of the task dialog. */
export interface TaskForm {
  readonly name: string
  /** Without it the schedule is ignored. */
  readonly isScheduled: boolean
  readonly cron: string
  /** Empty for the time zone of the node. */
  readonly timezone: string
  readonly catchUp: boolean
  /** Empty for none. */
  readonly condition: string
  readonly events: readonly PlainEvent[]
  /** Regular expressions for console lines. */
  readonly patterns: readonly string[]
  readonly steps: readonly Step[]
}

export function toTaskForm(task?: TaskView): TaskForm {
  const triggers = task?.triggers ?? []
  return {
    name: task?.name ?? '',
    isScheduled: Boolean(task?.cronSchedule),
    cron: task?.cronSchedule ?? defaultCron,
    timezone: task?.timezone ?? '',
    catchUp: task?.catchUp === true,
    condition: task?.if ?? '',
    events: plainEvents.filter((event) => triggers.some((trigger) => trigger.event === event)),
    patterns: triggers.flatMap((trigger) => (trigger.event === 'console' ? [trigger.pattern] : [])),
    steps: task?.operations ?? [],
  }
}

const isReadOnly = (name: string) => readOnlyTaskFields.some((field) => field === name)

/** The task of a form. Fields of `before` that the form does not show are kept. */
export function toTask(form: TaskForm, before?: TaskView): Task {
  const kept = Object.fromEntries(Object.entries(before ?? {}).filter(([name]) => !isReadOnly(name)))
  return {
    ...kept,
    name: form.name.trim(),
    cronSchedule: getSchedule(form),
    operations: [...form.steps],
    timezone: form.timezone || null,
    catchUp: form.catchUp,
    ...((form.condition !== '' || before?.if != null) && { if: form.condition.trim() || null }),
    triggers: getTriggers(form),
  }
}

/** The form as it is compared and saved: without blank lines, and with the default schedule while it is disabled. */
export function normalizeTask(form: TaskForm): TaskForm {
  return {
    ...form,
    name: form.name.trim(),
    condition: form.condition.trim(),
    cron: form.isScheduled ? form.cron.trim() : defaultCron,
    patterns: form.patterns.filter((pattern) => pattern !== ''),
    steps: removeBlankLines(form.steps),
  }
}

/** The schedule to save; null when it is disabled or empty. */
export function getSchedule({ isScheduled, cron }: TaskForm): string | null {
  return (isScheduled && cron.trim()) || null
}

function getTriggers({ events, patterns }: TaskForm): TaskTrigger[] {
  const nonEmpty = patterns.filter((pattern) => pattern !== '')
  return [
    ...events.map((event): TaskTrigger => ({ event })),
    ...nonEmpty.map((pattern): TaskTrigger => ({ event: 'console', pattern })),
  ]
}

/** Whether the task has a name and a valid or empty schedule. */
export function canSave(form: TaskForm): boolean {
  return form.name.trim() !== '' && hasValidSchedule(form)
}

export function hasValidSchedule(form: TaskForm): boolean {
  const schedule = getSchedule(form)
  return schedule === null || cronProblem(schedule) === undefined
}
