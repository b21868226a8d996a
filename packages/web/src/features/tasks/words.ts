import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { isRefusalCode } from '@innkeeper/contract/refusals'
import type { TaskRun, TaskTrigger, TaskView, taskResults } from '@innkeeper/contract/tasks'
import { isRefusal } from '../../api/request.ts'
import type { Text } from '../../i18n/text.tsx'
import { fieldOf, messageOf } from '../../ui/refusal.tsx'

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

/** What the node says in English, in the language of the person where it says it by a code that is known here too. */
export function reasonText(text: Text, words: string, told: TaskRun['refusal']): string {
  const refusal = told && isRefusalCode(told.code) ? refusalFrom({ error: told }) : undefined
  if (!refusal) return words
  const said = objectionText(text, refusal)
  const { path } = refusal.metadata
  return path === undefined || said.includes(String(path)) ? said : `${said}: ${path}`
}

/** What is wrong with a task, by words of the field itself where its name would say little. */
export function objectionText(text: Text, refusal: unknown): string {
  const field = fieldOf(refusal)
  const reason = isRefusal(refusal) ? refusal.metadata.reason : undefined
  if (field === 'cronSchedule' && isRefusal(refusal, 'ErrFieldInvalid')) return text('tasks.Invalid')
  if (field === 'timezone') return text('tasks.NoSuchZone')
  if (field !== undefined && /^triggers\.\d+\.pattern$/.test(field) && typeof reason === 'string')
    return text('tasks.WrongPattern', { reason })
  return messageOf(text, refusal)
}

export type ShownResult = (typeof taskResults)[number] | 'running'

/** How a run ended; without an end it is under way. */
export function resultOf({ result, endedAt }: TaskRun): ShownResult {
  return result ?? (endedAt === undefined ? 'running' : 'interrupted')
}
