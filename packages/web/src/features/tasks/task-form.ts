import { cronProblem } from '@innkeeper/contract/cron'
import type { Step } from '@innkeeper/contract/operations'
import type { Task, TaskEvent, TaskTrigger, TaskView } from '@innkeeper/contract/tasks'
import { defaultCron } from './cron-fields.ts'

/** Events that need no more said than their name, in the order of the form. */
export const plainEvents = ['started', 'stopped', 'crashed'] as const
export type PlainEvent = Exclude<TaskEvent, 'console'>

/** A task as the dialog edits it. */
export interface TaskForm {
  readonly name: string
  /** Off means that no time sets it off, whatever stands in the schedule. */
  readonly isScheduled: boolean
  readonly cron: string
  /** `undefined` is the node's. */
  readonly timezone: string | undefined
  readonly catchUp: boolean
  readonly events: readonly PlainEvent[]
  /** Of lines on the console. */
  readonly patterns: readonly string[]
  readonly steps: readonly Step[]
}

export function formOf(task?: TaskView): TaskForm {
  const triggers = task?.triggers ?? []
  return {
    name: task?.name ?? '',
    isScheduled: Boolean(task?.cronSchedule),
    cron: task?.cronSchedule ?? defaultCron,
    timezone: task?.timezone ?? undefined,
    catchUp: task?.catchUp === true,
    events: plainEvents.filter((event) => triggers.some((trigger) => trigger.event === event)),
    patterns: triggers.flatMap((trigger) => (trigger.event === 'console' ? [trigger.pattern] : [])),
    steps: task?.operations ?? [],
  }
}

/** What of a view is the node's to say. */
const told = ['isRunning', 'nextRun', 'lastRun', 'problem', 'refusal', 'version', 'savedBy', 'savedRights']

/** The task that a form describes; what it does not show of `before` stays. */
export function taskOf(form: TaskForm, before?: TaskView): Task {
  const kept = Object.fromEntries(Object.entries(before ?? {}).filter(([name]) => !told.includes(name)))
  return {
    ...kept,
    name: form.name.trim(),
    cronSchedule: scheduleOf(form),
    operations: [...form.steps],
    timezone: form.timezone ?? null,
    catchUp: form.catchUp,
    triggers: triggersOf(form),
  }
}

/** The schedule that is saved; switched off or empty it is none. */
export function scheduleOf({ isScheduled, cron }: TaskForm): string | null {
  return (isScheduled && cron.trim()) || null
}

function triggersOf({ events, patterns }: TaskForm): TaskTrigger[] {
  const written = patterns.filter((pattern) => pattern !== '')
  return [
    ...events.map((event): TaskTrigger => ({ event })),
    ...written.map((pattern): TaskTrigger => ({ event: 'console', pattern })),
  ]
}

/** Whether saving would change anything: a schedule that is switched off counts for nothing. */
export function hasChanged(form: TaskForm, from: TaskForm): boolean {
  return JSON.stringify(taskOf(form)) !== JSON.stringify(taskOf(from))
}

/** Whether the form can be saved: it has a name, and its schedule is empty or one. */
export function maySave(form: TaskForm): boolean {
  return form.name.trim() !== '' && hasOrderlySchedule(form)
}

export function hasOrderlySchedule(form: TaskForm): boolean {
  const schedule = scheduleOf(form)
  return schedule === null || cronProblem(schedule) === undefined
}
