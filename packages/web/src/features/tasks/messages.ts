import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { isRefusalCode } from '@innkeeper/contract/errors/refusals'
import type { TaskRun, TaskTrigger, TaskView, taskResults } from '@innkeeper/contract/servers/tasks'
import { isRefusal } from '../../api/request.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { errorField, errorMessage } from '../../ui/text/error-message.ts'

export function triggerText(t: TFunction, trigger: TaskTrigger): string {
  if (trigger.event === 'console') return t('tasks.On_console', { pattern: trigger.pattern })
  return t(`tasks.On_${trigger.event}`)
}

/** Describes everything that runs a task: the schedule, then events. */
export function describeTriggers(
  t: TFunction,
  task: TaskView,
  describeCron: (cron: string) => string,
): readonly string[] {
  const schedule = task.cronSchedule ? [describeCron(task.cronSchedule)] : []
  const all = [...schedule, ...(task.triggers ?? []).map((trigger) => triggerText(t, trigger))]
  return all.length > 0 ? all : [t('tasks.ManualOnly')]
}

/** What started a run. */
export function runTriggerText(t: TFunction, { cause, event, by }: TaskRun, userId: number | undefined): string {
  if (cause === 'event' && event) return t(`tasks.StartedBy_${event}`)
  if (cause === 'person' && by !== undefined && by === userId) return t('tasks.StartedBy_you')
  return t(`tasks.StartedBy_${cause}`)
}

/** Translates the reason that a node gives in English, if its error code is known. */
export function translateTaskReason(t: TFunction, reason: string, error: TaskRun['refusal']): string {
  const refusal = error && isRefusalCode(error.code) ? refusalFrom({ error }) : undefined
  if (!refusal) return reason
  const message = taskErrorText(t, refusal)
  const { path } = refusal.metadata
  return path === undefined || message.includes(String(path)) ? message : t('tasks.ReasonAtPath', { message, path })
}

/** The message of an error of a task. Some fields have messages of their own. */
export function taskErrorText(t: TFunction, error: unknown): string {
  const field = errorField(error)
  const reason = isRefusal(error) ? error.metadata.reason : undefined
  if (field === 'cronSchedule' && isRefusal(error, 'ErrFieldInvalid')) return t('tasks.InvalidSchedule')
  if (field === 'if' && typeof reason === 'string') return t('tasks.InvalidCondition', { reason })
  if (field === 'timezone') return t('tasks.UnknownTimezone')
  if (field !== undefined && /^triggers\.\d+\.pattern$/.test(field) && typeof reason === 'string')
    return t('common.InvalidPattern', { reason })
  return errorMessage(t, error)
}

export type RunResult = (typeof taskResults)[number] | 'running'

/** The result of a run; `running` while it has no end. */
export function getRunResult({ result, endedAt }: TaskRun): RunResult {
  return result ?? (endedAt === undefined ? 'running' : 'interrupted')
}
