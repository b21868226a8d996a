import { createHash } from 'node:crypto'
import { cronProblem, isTimezone, type Schedule, scheduleOf } from '@innkeeper/contract/cron'
import { limits } from '@innkeeper/contract/limits'
import { type Pattern, parsePattern, patternProblem } from '@innkeeper/contract/pattern'
import { Refusal } from '@innkeeper/contract/refusals'
import { SavedTask, type Task, TaskId, type TaskTrigger } from '@innkeeper/contract/tasks'

/** A task of a definition, as far as it makes sense. */
export interface ReadTask {
  readonly task: SavedTask
  /** When it comes due; `undefined` when no time sets it off. */
  readonly schedule: Schedule | undefined
  /** Stands for when that is: what was served by another schedule says nothing. */
  readonly times: string
  readonly patterns: readonly Pattern[]
  readonly events: ReadonlySet<TaskTrigger['event']>
  /** Why it never runs, or not as it should. */
  readonly problem: string | undefined
  /** Stands for what is saved. */
  readonly version: string
}

/** Reads a task, whatever is in the definition: what cannot be understood has a problem. */
export function readTask(key: string, raw: unknown): ReadTask {
  const found = SavedTask.safeParse(named(key, raw))
  const version = versionOf(raw)
  if (!found.success) {
    const issue = found.error.issues[0]
    const problem = `It is not understood: ${issue?.path.join('.') || 'the whole'}: ${issue?.message}`
    const task = { name: nameIn(raw) || key, cronSchedule: null, operations: [], timezone: null }
    return { task, schedule: undefined, times: '', patterns: [], events: new Set(), problem, version }
  }
  const task = found.data
  const { schedule, problem: timeProblem } = timesOf(task)
  const { patterns, problem: patternProblem } = patternsOf(task)
  const nobody =
    task.savedBy == null ? 'Nobody answers for what it does: it runs when somebody has saved it' : undefined
  return {
    task,
    schedule,
    times: `${task.cronSchedule ?? ''} ${task.timezone ?? ''}`,
    patterns,
    events: new Set(task.triggers?.map(({ event }) => event)),
    problem: timeProblem ?? patternProblem ?? nobody,
    version,
  }
}

/** Stands for a task as a definition has it. */
export function versionOf(raw: unknown): string {
  return createHash('sha256').update(JSON.stringify(raw)).digest('hex').slice(0, 32)
}

/** Refuses a task that could not come due as it says. */
export function objectToTask(key: string, { cronSchedule, timezone, triggers }: Task): void {
  if (!TaskId.safeParse(key).success) throw new Refusal('ErrTaskNotFound')
  const problem = cronSchedule ? cronProblem(cronSchedule) : undefined
  if (problem !== undefined) throw new Refusal('ErrFieldInvalid', { field: 'cronSchedule', reason: problem })
  if (timezone && !isTimezone(timezone)) throw new Refusal('ErrFieldInvalid', { field: 'timezone' })
  for (const [at, trigger] of (triggers ?? []).entries()) {
    if (trigger.event !== 'console') continue
    const reason = patternProblem(trigger.pattern)
    if (reason !== undefined) throw new Refusal('ErrFieldInvalid', { field: `triggers.${at}.pattern`, reason })
  }
}

/** A published task may lack a name, or have a long one. */
function named(key: string, raw: unknown): unknown {
  if (typeof raw !== 'object' || raw === null || Array.isArray(raw)) return raw
  return { ...raw, name: nameIn(raw) || key }
}

function nameIn(raw: unknown): string {
  const name = typeof raw === 'object' && raw !== null && 'name' in raw ? raw.name : undefined
  return typeof name === 'string' ? name.trim().slice(0, limits.taskNameMax) : ''
}

function timesOf({ cronSchedule, timezone }: SavedTask): { schedule: Schedule | undefined; problem?: string } {
  if (!cronSchedule) return { schedule: undefined }
  const problem = cronProblem(cronSchedule)
  if (problem !== undefined) return { schedule: undefined, problem: `Its schedule is not valid: ${problem}` }
  const schedule = scheduleOf(cronSchedule, timezone ?? undefined)
  return schedule ? { schedule } : { schedule: undefined, problem: `There is no time zone "${timezone}"` }
}

function patternsOf({ triggers }: SavedTask): { patterns: Pattern[]; problem?: string } {
  const patterns: Pattern[] = []
  for (const trigger of triggers ?? []) {
    if (trigger.event !== 'console') continue
    const reason = patternProblem(trigger.pattern)
    if (reason !== undefined) return { patterns, problem: `"${trigger.pattern}" is not a pattern: ${reason}` }
    patterns.push(parsePattern(trigger.pattern))
  }
  return { patterns }
}
