import type { TaskRun, TaskTrigger, TaskView, taskResults } from '@innkeeper/contract/tasks'
import type { Text } from '../../i18n/text.tsx'

/** An event as lists say it. */
export function triggerText(text: Text, trigger: TaskTrigger): string {
  if (trigger.event === 'console') return text('tasks.On_console', { pattern: trigger.pattern })
  return text(`tasks.On_${trigger.event}`)
}

/** Everything that sets a task off, in words: times first. */
export function causesOf(text: Text, view: TaskView, words: (cron: string) => string): readonly string[] {
  const schedule = view.cronSchedule ? [words(view.cronSchedule)] : []
  const events = (view.triggers ?? []).map((trigger) => triggerText(text, trigger))
  const all = [...schedule, ...events]
  return all.length > 0 ? all : [text('tasks.ManualOnly')]
}

/** Why a run began. */
export function causeText(text: Text, { cause, event, by }: TaskRun, self: number | undefined): string {
  if (cause === 'event' && event) return text(`tasks.Cause_${event}`)
  if (cause === 'person' && by !== undefined && by === self) return text('tasks.Cause_you')
  return text(`tasks.Cause_${cause}`)
}

export type ShownResult = (typeof taskResults)[number] | 'running'

/** How a run ended; without an end it is under way. */
export function resultOf({ result, endedAt }: TaskRun): ShownResult {
  return result ?? (endedAt === undefined ? 'running' : 'interrupted')
}
