import { createHash } from 'node:crypto'
import { cronProblem, isTimezone, type Schedule, scheduleOf } from '@innkeeper/contract/cron'
import { invalidStepCondition } from '@innkeeper/contract/definition-conditions'
import { limits } from '@innkeeper/contract/limits'
import { patternProblem } from '@innkeeper/contract/pattern'
import { Refusal } from '@innkeeper/contract/refusals'
import { SavedTask, type TaskInput, type TaskTrigger } from '@innkeeper/contract/tasks'

/** A task of a definition, as far as it makes sense. */
export interface ReadTask {
  readonly task: SavedTask
  /** When it comes due; `undefined` when no time sets it off. */
  readonly schedule: Schedule | undefined
  /** Stands for when that is: what was served by another schedule says nothing. */
  readonly times: string
  readonly patterns: readonly string[]
  readonly events: ReadonlySet<TaskTrigger['event']>
  /** Why it never runs, or not as it should. */
  readonly problem: Refusal | undefined
  /** Stands for what is saved. */
  readonly version: string
}

/**
 * Reads a task, whatever is in the definition: what cannot be understood has a problem. `variables` are the names of the
 * server's variables.
 */
export function readTask(key: string, raw: unknown, variables: readonly string[] = []): ReadTask {
  const found = SavedTask.safeParse(withName(key, raw))
  const version = versionOf(raw)
  if (!found.success) {
    const issue = found.error.issues[0]
    const reason = `${issue?.path.join('.') || 'the whole'}: ${issue?.message}`
    const problem = new Refusal('ErrTaskDamaged', { reason })
    const task = { name: nameIn(raw) || key, cronSchedule: null, operations: [], timezone: null }
    return { task, schedule: undefined, times: '', patterns: [], events: new Set(), problem, version }
  }
  const task = found.data
  const { cronSchedule, timezone } = task
  const comesDue = cronSchedule && cronProblem(cronSchedule) === undefined
  const nobody = task.savedBy == null ? new Refusal('ErrTaskUnanswered') : undefined
  return {
    task,
    schedule: comesDue ? scheduleOf(cronSchedule, timezone ?? undefined) : undefined,
    times: `${cronSchedule ?? ''} ${timezone ?? ''}`,
    patterns: patternsOf(task),
    events: new Set(task.triggers?.map(({ event }) => event)),
    problem: validateTask(task, variables) ?? nobody,
    version,
  }
}

/** Stands for a task as a definition has it. */
export function versionOf(raw: unknown): string {
  return createHash('sha256').update(JSON.stringify(raw)).digest('hex').slice(0, 32)
}

/** Why a task could not run as it says: the first part that is not valid; `undefined` for one that can. */
export function validateTask(
  { cronSchedule, timezone, triggers, operations }: TaskInput,
  variables: readonly string[],
): Refusal | undefined {
  const problem = cronSchedule ? cronProblem(cronSchedule) : undefined
  if (problem !== undefined) return new Refusal('ErrFieldInvalid', { field: 'cronSchedule', reason: problem })
  if (timezone && !isTimezone(timezone)) return new Refusal('ErrFieldInvalid', { field: 'timezone' })
  for (const [at, trigger] of (triggers ?? []).entries()) {
    const reason = trigger.event === 'console' ? patternProblem(trigger.pattern) : undefined
    if (reason !== undefined) return new Refusal('ErrFieldInvalid', { field: `triggers.${at}.pattern`, reason })
  }
  return invalidStepCondition(operations, variables, 'operations')
}

/** A published task may lack a name, or have a long one. */
function withName(key: string, raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  return { ...raw, name: nameIn(raw) || key }
}

function nameIn(raw: unknown): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined
  return typeof name === 'string' ? name.trim().slice(0, limits.taskNameMax) : ''
}

function patternsOf({ triggers }: SavedTask): string[] {
  return (triggers ?? []).flatMap((trigger) =>
    trigger.event === 'console' && patternProblem(trigger.pattern) === undefined ? [trigger.pattern] : [],
  )
}
