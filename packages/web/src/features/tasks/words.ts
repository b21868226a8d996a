import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { isRefusalCode } from '@innkeeper/contract/refusals'
import type { TaskRun, TaskTrigger, TaskView, taskResults } from '@innkeeper/contract/tasks'
import { isRefusal } from '../../api/request.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { errorField, errorMessage } from '../../ui/error-message.ts'

/** An event as lists say it. */
export function triggerText(t: TFunction, trigger: TaskTrigger): string {
  if (trigger.event === 'console') return t('tasks.On_console', { pattern: trigger.pattern })
  return t(`tasks.On_${trigger.event}`)
}

/** Everything that sets a task off, in words: times first. */
export function causesOf(t: TFunction, view: TaskView, words: (cron: string) => string): readonly string[] {
  const schedule = view.cronSchedule ? [words(view.cronSchedule)] : []
  const events = (view.triggers ?? []).map((trigger) => triggerText(t, trigger))
  const all = [...schedule, ...events]
  return all.length > 0 ? all : [t('tasks.ManualOnly')]
}

/** Why a run began. */
export function causeText(t: TFunction, { cause, event, by }: TaskRun, self: number | undefined): string {
  if (cause === 'event' && event) return t(`tasks.Cause_${event}`)
  if (cause === 'person' && by !== undefined && by === self) return t('tasks.Cause_you')
  return t(`tasks.Cause_${cause}`)
}

/** What the node says in English, in the language of the person where it says it by a code that is known here too. */
export function reasonText(t: TFunction, words: string, told: TaskRun['refusal']): string {
  const refusal = told && isRefusalCode(told.code) ? refusalFrom({ error: told }) : undefined
  if (!refusal) return words
  const said = objectionText(t, refusal)
  const { path } = refusal.metadata
  return path === undefined || said.includes(String(path)) ? said : `${said}: ${path}`
}

/** What is wrong with a task, by words of the field itself where its name would say little. */
export function objectionText(t: TFunction, refusal: unknown): string {
  const field = errorField(refusal)
  const reason = isRefusal(refusal) ? refusal.metadata.reason : undefined
  if (field === 'cronSchedule' && isRefusal(refusal, 'ErrFieldInvalid')) return t('tasks.Invalid')
  if (field === 'timezone') return t('tasks.NoSuchZone')
  if (field !== undefined && /^triggers\.\d+\.pattern$/.test(field) && typeof reason === 'string')
    return t('tasks.WrongPattern', { reason })
  return errorMessage(t, refusal)
}

export type ShownResult = (typeof taskResults)[number] | 'running'

/** How a run ended; without an end it is under way. */
export function resultOf({ result, endedAt }: TaskRun): ShownResult {
  return result ?? (endedAt === undefined ? 'running' : 'interrupted')
}
