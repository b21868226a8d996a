import { isDeepStrictEqual } from 'node:util'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'

export const maxTasks = 100
export const maxTaskBytes = 16 * 1024

type Tasks = Readonly<Record<string, unknown>>

/**
 * Sets the owner of each task when a definition is replaced. A changed task is owned by the user who changed it; an
 * unchanged task keeps its owner. Owners named in the new definition are ignored. A task without an owner does not run.
 */
export function assignTaskOwners(
  tasks: Tasks | null | undefined,
  before: Tasks | null | undefined,
  by: number | undefined,
): Tasks | null | undefined {
  if (!tasks) return tasks
  return Object.fromEntries(
    Object.entries(tasks).map(([key, task]) => {
      if (!isRecord(task)) return [key, task]
      const known = before && Object.hasOwn(before, key) ? before[key] : undefined
      const isSame = isRecord(known) && isDeepStrictEqual(withoutOwner(task), withoutOwner(known))
      const { savedBy, savedRights } = isSame ? known : { savedBy: by, savedRights: undefined }
      const saved = { ...(savedBy !== undefined && { savedBy }), ...(savedRights !== undefined && { savedRights }) }
      return [key, { ...withoutOwner(task), ...saved }]
    }),
  )
}

/**
 * Throws ErrTooMany or ErrFieldTooLarge when a limit for tasks is exceeded. A value that exceeded its limit before may
 * stay the same or shrink.
 */
export function assertTasksWithinLimits(tasks: Tasks | null | undefined, before: Tasks | null | undefined): void {
  const count = (tasks: Tasks | null | undefined) => Object.keys(tasks ?? {}).length
  if (count(tasks) > Math.max(maxTasks, count(before))) throw new Refusal('ErrTooMany', { max: maxTasks })
  for (const [key, task] of Object.entries(tasks ?? {})) {
    const known = before && Object.hasOwn(before, key) ? before[key] : undefined
    if (isDeepStrictEqual(task, known)) continue
    const excess = (measure: (task: unknown) => number, max: number) => measure(task) > Math.max(max, measure(known))
    if (excess(getSteps, limits.taskSteps))
      throw new Refusal('ErrFieldTooLarge', { field: `tasks.${key}.operations`, max: limits.taskSteps })
    if (excess(getBytes, maxTaskBytes))
      throw new Refusal('ErrFieldTooLarge', { field: `tasks.${key}`, max: maxTaskBytes })
  }
}

function getSteps(task: unknown): number {
  return isRecord(task) && Array.isArray(task.operations) ? task.operations.length : 0
}

const getBytes = (task: unknown): number => (task === undefined ? 0 : Buffer.byteLength(JSON.stringify(task)))

/** Returns the user id in the subject of a ticket; undefined for the panel itself. */
export function findUserId(sub: string): number | undefined {
  const number = /^user:(\d{1,15})$/.exec(sub)?.[1]
  return number === undefined ? undefined : Number(number)
}

function withoutOwner(task: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { savedBy: _, savedRights: __, ...rest } = task
  return rest
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
