import { z } from 'zod'
import { ifMatch, nodeCall } from './call.ts'
import { limits } from './limits.ts'
import { isOrdinaryKey, ServerId } from './names.ts'
import { Wait } from './node-servers.ts'
import { Step, Steps } from './operations.ts'
import { RefusalEnvelope } from './refusal-envelope.ts'

/** What a server does by itself: at times, on events, or when somebody says so. Kept with its definition. */

/** The key of a task in a definition: ours are random, published ones are anything. */
export const TaskId = z.string().min(1).max(100).refine(isOrdinaryKey)

/** What sets a task off besides time. */
export const taskEvents = ['started', 'stopped', 'crashed', 'console'] as const
export type TaskEvent = (typeof taskEvents)[number]

export const TaskTrigger = z.discriminatedUnion('event', [
  /** Online after a start; ended as it was asked to, or by itself and normally; ended in any other way. */
  z.strictObject({ event: z.enum(['started', 'stopped', 'crashed']) }),
  /** A whole line of output, without colours, holds a match. The pattern is RE2: no backtracking, no references. */
  z.strictObject({ event: z.literal('console'), pattern: z.string().min(1).max(limits.patternMax) }),
])
export type TaskTrigger = z.infer<typeof TaskTrigger>

/** A task as people write it. Read leniently; unknown fields stay where they are. */
export const Task = z.looseObject({
  name: z.string().trim().min(1).max(limits.taskNameMax),
  /** See `cron.ts`; empty and `null` mean that no time sets it off. */
  cronSchedule: z
    .string()
    .max(200)
    .nullish()
    .transform((given) => given?.trim() || null),
  operations: Steps,
  /** IANA name, as `Europe/Berlin`; the node's own unless said. */
  timezone: z
    .string()
    .max(100)
    .nullish()
    .transform((given) => given?.trim() || null),
  /** Whether a time that passed while the node was down is made up for: once, however many there were. */
  catchUp: z.boolean().nullish(),
  triggers: z.array(TaskTrigger).max(limits.taskTriggers).nullish(),
})
export type Task = z.output<typeof Task>

/**
 * As somebody sends one: a list of steps that was forgotten would empty the task. Fields that are not those of a task are
 * left out: the node keeps what a definition brought.
 */
const SentTask = z.object({ ...Task.shape, operations: z.array(Step).max(limits.taskSteps) })
export type SentTask = z.output<typeof SentTask>

/** What the node adds when it writes one: who answers for what the task does. */
export const SavedTask = Task.extend({
  /** The number of the person; a task without one does not run until somebody saves it. */
  savedBy: z.number().int().nullish(),
  /** What they might do when they saved it, if that was not everything: a program may do less than its owner. */
  savedRights: z.array(z.string()).nullish(),
})
export type SavedTask = z.output<typeof SavedTask>

/** Why a task ran. */
export const taskCauses = ['schedule', 'missed', 'event', 'person'] as const

/** How a run ended. `refused`: whoever saved it may not do a step any more; `skipped`: it was running already. */
export const taskResults = ['done', 'failed', 'refused', 'cancelled', 'skipped', 'interrupted'] as const

/** A refusal that is told of, and ended nothing of whoever reads it. */
const RefusalTold = RefusalEnvelope.shape.error

export const TaskRun = z.object({
  id: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  /** Absent while it runs. */
  endedAt: z.string().optional(),
  cause: z.enum(taskCauses),
  /** The event that set it off. */
  event: z.enum(taskEvents).optional(),
  /** The person who ran it by hand. */
  by: z.number().optional(),
  /** Absent while it runs. */
  result: z.enum(taskResults).optional(),
  /** Why it did not go well, in words. */
  reason: z.string().optional(),
  /** The same for whoever translates it; some reasons are words alone. */
  refusal: RefusalTold.optional(),
  /** The step at work, or that ended it; from 1. */
  step: z.number().optional(),
})
export type TaskRun = z.infer<typeof TaskRun>

/** A task as lists show it. */
export const TaskView = SavedTask.extend({
  isRunning: z.boolean(),
  /** ISO 8601, by the node's clock; absent when no time sets it off. */
  nextRun: z.string().optional(),
  lastRun: TaskRun.optional(),
  /** What is wrong with it, in words: an invalid schedule, a pattern, nobody answers for it. */
  problem: z.string().optional(),
  /** The same for whoever translates it. */
  refusal: RefusalTold.optional(),
  /** Stands for what is saved: `If-Match` on a change refuses to overwrite another one. */
  version: z.string(),
})
export type TaskView = z.output<typeof TaskView>

const OnServer = z.object({ id: ServerId })
const OnTask = OnServer.extend({ task: TaskId })
const access = { onServer: 'editServerData' } as const

/** `timezone` is the node's own. */
export const listTasks = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/tasks',
  access,
  params: OnServer,
  answer: z.object({ tasks: z.record(z.string(), TaskView), timezone: z.string() }),
})

/** ErrFieldInvalid for a schedule, time zone or pattern that is none; ErrMissingScope for a step that the caller may not do. */
export const createTask = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/tasks',
  access,
  params: OnServer,
  body: SentTask,
  answer: z.object({ id: z.string() }),
})

/** ErrTaskNotFound; with `If-Match` ErrStaleVersion. */
export const putTask = nodeCall({
  method: 'PUT',
  path: '/daemon/server/:id/tasks/:task',
  access,
  params: OnTask,
  body: SentTask,
  headers: ifMatch,
})

/** A run that is at work is cancelled. */
export const deleteTask = nodeCall({
  method: 'DELETE',
  path: '/daemon/server/:id/tasks/:task',
  access,
  params: OnTask,
})

/** Runs it now, with the rights of whoever saved it. 202; with `wait` 204 at its end. ErrTaskRunning when it is at work. */
export const runTask = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/tasks/:task/run',
  access,
  params: OnTask,
  query: Wait,
  status: 202,
  also: { 204: 'Done, with `wait`.' },
  takesLong: true,
})

/** Ends the run that is at work after the step in hand was broken off; nothing when none is. */
export const cancelTask = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/tasks/:task/cancel',
  access,
  params: OnTask,
})

/** The last `limits.taskRunsKept` runs, the newest first, each with what it printed. */
export const listTaskRuns = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/tasks/:task/runs',
  access,
  params: OnTask,
  answer: z.array(TaskRun.extend({ lines: z.array(z.string()) })),
})
