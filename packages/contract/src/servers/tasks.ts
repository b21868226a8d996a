import { z } from 'zod/mini'
import { etag, ifMatch, nodeEndpoint } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { conditionMaxChars } from '../definitions/conditions.ts'
import { Step, Steps } from '../definitions/operations.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'
import { limits } from '../text/limits.ts'
import { isSafeKey } from '../text/names.ts'
import { WaitQuery } from './node-servers.ts'

/** Tasks of a server: run on a schedule, on events, or manually. Stored in its definition. */

/** The key of a task in a definition: ours are random, published ones have any format. */
export const TaskId = z.string().check(z.minLength(1), z.maxLength(100), z.refine(isSafeKey))

/** Triggers other than the schedule. */
export const taskEvents = ['started', 'stopped', 'crashed', 'console'] as const
export type TaskEvent = (typeof taskEvents)[number]

export const TaskTrigger = z.discriminatedUnion('event', [
  /** Online after a start; stopped as requested or with a normal exit; ended in any other way. */
  z.strictObject({ event: z.enum(['started', 'stopped', 'crashed']) }),
  /** A line of output without colors matches the pattern. RE2: no backtracking, no backreferences. */
  z.strictObject({
    event: z.literal('console'),
    pattern: z.string().check(z.minLength(1), z.maxLength(limits.patternMax)),
  }),
])
export type TaskTrigger = z.infer<typeof TaskTrigger>

/** A task as users write it. Parsed leniently; unknown fields are kept. */
export const Task = z.looseObject({
  name: z.string().check(z.trim(), z.minLength(1), z.maxLength(limits.taskNameMax)),
  /** See `cron.ts`; empty and `null` mean no schedule. */
  cronSchedule: z.pipe(
    z.nullish(z.string().check(z.maxLength(200))),
    z.transform((input) => input?.trim() || null),
  ),
  /** See `conditions.ts`; a run begins only if it is true. Older nodes ignore it. */
  if: z.nullish(z.string().check(z.maxLength(conditionMaxChars))),
  operations: Steps,
  /** IANA name, for example `Europe/Berlin`. Default: the time zone of the node. */
  timezone: z.pipe(
    z.nullish(z.string().check(z.maxLength(100))),
    z.transform((input) => input?.trim() || null),
  ),
  /** Whether a run that was missed while the node was down is made up for, once for any number of missed runs. */
  catchUp: z.nullish(z.boolean()),
  triggers: z.nullish(z.array(TaskTrigger).check(z.maxLength(limits.taskTriggers))),
})
export type Task = z.output<typeof Task>

/**
 * A task in a request: the step list is required, because a missing one would empty the task. Unknown fields are
 * ignored: the node keeps those that came with the definition.
 */
const TaskInput = z.object({ ...Task.shape, operations: z.array(Step).check(z.maxLength(limits.taskSteps)) })
export type TaskInput = z.output<typeof TaskInput>

/** Fields that the node adds: the owner of the task. */
export const SavedTask = z.extend(Task, {
  /** ID of the user who saved it; a task without one does not run until it is saved. */
  savedBy: z.nullish(z.int()),
  /** Permissions of the request that saved it, if it was limited: an OAuth2 client may do less than its owner. */
  savedRights: z.nullish(z.array(z.string())),
})
export type SavedTask = z.output<typeof SavedTask>

/** Why a task ran. */
export const taskCauses = ['schedule', 'missed', 'event', 'person'] as const

/** Result of a run. `refused`: the owner lacks the permission for a step; `skipped`: the previous run had not ended. */
export const taskResults = ['done', 'failed', 'refused', 'cancelled', 'skipped', 'interrupted'] as const

export const TaskRun = z.object({
  id: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** Absent while it runs. */
  endedAt: z.optional(z.string()),
  cause: z.enum(taskCauses),
  /** The event that triggered it. */
  event: z.optional(z.enum(taskEvents)),
  /** The user who ran it manually. */
  by: z.optional(z.number()),
  /** Absent while it runs. */
  result: z.optional(z.enum(taskResults)),
  /** Error message in English. */
  reason: z.optional(z.string()),
  /** The error code for translation; some messages have none. */
  refusal: z.optional(ReportedError),
  /** The current step, or the step that failed; from 1. */
  step: z.optional(z.number()),
})
export type TaskRun = z.infer<typeof TaskRun>

/** A task in a list. */
export const TaskView = z.extend(SavedTask, {
  isRunning: z.boolean(),
  /** ISO 8601, by the node's clock; absent without a schedule. */
  nextRun: z.optional(z.string()),
  lastRun: z.optional(TaskRun),
  /** When it was not run last because of its condition, and why; absent after a run. */
  unmet: z.optional(z.object({ at: z.string(), refusal: ReportedError })),
  /** A problem in English: an invalid schedule or pattern, or no owner. */
  problem: z.optional(z.string()),
  /** The error code for translation. */
  refusal: z.optional(ReportedError),
  /** Version of the saved task for `If-Match`. */
  version: z.string(),
})
export type TaskView = z.output<typeof TaskView>

/** Fields of task views that are not part of the task. They are ignored when they are sent back. */
export const readOnlyTaskFields = [
  'isRunning',
  'nextRun',
  'lastRun',
  'unmet',
  'problem',
  'refusal',
  'version',
  'savedBy',
  'savedRights',
  'id',
] as const

const OnTask = z.extend(OnServer, { task: TaskId })
const access = { onServer: 'editServerData' } as const

/** `timezone` is that of the node. Without `hasConditions` it ignores the conditions of tasks. */
export const listTasks = nodeEndpoint('GET', '/daemon/server/:id/tasks', {
  access,
  response: z.object({
    tasks: z.record(z.string(), TaskView),
    timezone: z.string(),
    hasConditions: z.optional(z.boolean()),
  }),
})

/**
 * ErrFieldInvalid for an invalid schedule, time zone or pattern; ErrMissingScope for a step that the user may not do.
 */
export const createTask = nodeEndpoint('POST', '/daemon/server/:id/tasks', {
  access,
  audit: 'server.task.create',
  body: TaskInput,
  response: z.object({ id: z.string() }),
})

/** ErrTaskNotFound; with `If-Match` ErrStaleVersion. */
export const putTask = nodeEndpoint('PUT', '/daemon/server/:id/tasks/:task', {
  access,
  audit: 'server.task.edit',
  params: OnTask,
  body: TaskInput,
  headers: ifMatch,
  responseHeaders: etag,
})

/** Cancels a running run. */
export const deleteTask = nodeEndpoint('DELETE', '/daemon/server/:id/tasks/:task', {
  access,
  audit: 'server.task.delete',
  params: OnTask,
})

/**
 * Runs the task now, with the permissions of its owner. 202; with `wait` 204 at the end. ErrTaskRunning when it is
 * already running; with `wait` ErrTaskConditionFalse or ErrPlayersUnknown when its condition is not met.
 */
export const runTask = nodeEndpoint('POST', '/daemon/server/:id/tasks/:task/run', {
  access,
  audit: 'server.task.run',
  params: OnTask,
  query: WaitQuery,
  status: 202,
  otherStatuses: { 204: 'Done, with `wait`.' },
  noTimeout: true,
})

/** Cancels the running run and its current step; does nothing when none is running. */
export const cancelTask = nodeEndpoint('POST', '/daemon/server/:id/tasks/:task/cancel', {
  access,
  audit: 'server.task.cancel',
  params: OnTask,
})

/** The last `limits.taskRunsKept` runs with their output, newest first. */
export const listTaskRuns = nodeEndpoint('GET', '/daemon/server/:id/tasks/:task/runs', {
  access,
  params: OnTask,
  response: z.array(z.extend(TaskRun, { lines: z.array(z.string()) })),
})
