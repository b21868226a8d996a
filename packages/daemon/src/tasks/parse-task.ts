import { createHash } from 'node:crypto'
import { conditionProblem } from '@innkeeper/contract/definitions/conditions'
import { invalidStepCondition } from '@innkeeper/contract/definitions/definition-conditions'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { cronProblem, findSchedule, isTimezone, type Schedule } from '@innkeeper/contract/jobs/cron'
import { SavedTask, type TaskInput, type TaskTrigger } from '@innkeeper/contract/servers/tasks'
import { limits } from '@innkeeper/contract/text/limits'
import { patternProblem } from '@innkeeper/contract/text/pattern'

/** A parsed task of a definition. */
export interface ParsedTask {
  readonly task: SavedTask
  /** undefined when the task has no schedule. */
  readonly schedule: Schedule | undefined
  /** Identifies the schedule: state of another schedule is ignored. */
  readonly times: string
  readonly patterns: readonly string[]
  readonly events: ReadonlySet<TaskTrigger['event']>
  /** Why it never runs, or not as intended. */
  readonly problem: Refusal | undefined
  /** A hash of the stored task. */
  readonly version: string
}

/** Parses a task. Whatever is invalid is reported as `problem`. `variables` are the names of the server's variables. */
export function parseTask(key: string, raw: unknown, variables: readonly string[] = []): ParsedTask {
  const found = SavedTask.safeParse(withName(key, raw))
  const version = getVersion(raw)
  if (!found.success) {
    const issue = found.error.issues[0]
    const reason = `${issue?.path.join('.') || 'task'}: ${issue?.message}`
    const problem = new Refusal('ErrTaskDamaged', { reason })
    const task = { name: nameIn(raw) || key, cronSchedule: null, operations: [], timezone: null }
    return { task, schedule: undefined, times: '', patterns: [], events: new Set(), problem, version }
  }
  const task = found.data
  const { cronSchedule, timezone } = task
  const comesDue = cronSchedule && cronProblem(cronSchedule) === undefined
  const noOwner = task.savedBy == null ? new Refusal('ErrTaskUnanswered') : undefined
  return {
    task,
    schedule: comesDue ? findSchedule(cronSchedule, timezone ?? undefined) : undefined,
    times: `${cronSchedule ?? ''} ${timezone ?? ''}`,
    patterns: getPatterns(task),
    events: new Set(task.triggers?.map(({ event }) => event)),
    problem: validateTask(task, variables) ?? noOwner,
    version,
  }
}

/** A hash of a task in the definition. */
export function getVersion(raw: unknown): string {
  return createHash('sha256').update(JSON.stringify(raw)).digest('hex').slice(0, 32)
}

/** Why a task cannot run: its first invalid part; undefined when it is valid. */
export function validateTask(
  { cronSchedule, timezone, triggers, operations, if: condition }: TaskInput,
  variables: readonly string[],
): Refusal | undefined {
  const problem = cronSchedule ? cronProblem(cronSchedule) : undefined
  if (problem !== undefined) return new Refusal('ErrFieldInvalid', { field: 'cronSchedule', reason: problem })
  if (timezone && !isTimezone(timezone)) return new Refusal('ErrFieldInvalid', { field: 'timezone' })
  for (const [at, trigger] of (triggers ?? []).entries()) {
    const reason = trigger.event === 'console' ? patternProblem(trigger.pattern) : undefined
    if (reason !== undefined) return new Refusal('ErrFieldInvalid', { field: `triggers.${at}.pattern`, reason })
  }
  const reason = conditionProblem(condition ?? '', variables)
  if (reason !== undefined) return new Refusal('ErrFieldInvalid', { field: 'if', reason })
  return invalidStepCondition(operations, variables, 'operations')
}

/** Published tasks may lack a name or have a long one. */
function withName(key: string, raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  return { ...raw, name: nameIn(raw) || key }
}

function nameIn(raw: unknown): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined
  return typeof name === 'string' ? name.trim().slice(0, limits.taskNameMax) : ''
}

function getPatterns({ triggers }: SavedTask): string[] {
  return (triggers ?? []).flatMap((trigger) =>
    trigger.event === 'console' && patternProblem(trigger.pattern) === undefined ? [trigger.pattern] : [],
  )
}
