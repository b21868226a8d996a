import { isDeepStrictEqual } from 'node:util'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'

type Tasks = Readonly<Record<string, unknown>>

/**
 * The tasks of a definition that somebody replaces: whoever changed one answers for it from now on. What the new
 * definition says of that is not believed, and what did not change stays with whom it was. Without a person nobody
 * answers, and the task does not run.
 */
export function withAnswerable(
  tasks: Tasks | null | undefined,
  before: Tasks | null | undefined,
  by: number | undefined,
): Tasks | null | undefined {
  if (!tasks) return tasks
  return Object.fromEntries(
    Object.entries(tasks).map(([key, task]) => {
      if (!isRecord(task)) return [key, task]
      const known = before && Object.hasOwn(before, key) ? before[key] : undefined
      const isSame = isRecord(known) && isDeepStrictEqual(withoutPerson(task), withoutPerson(known))
      const { savedBy, savedRights } = isSame ? known : { savedBy: by, savedRights: undefined }
      const saved = { ...(savedBy !== undefined && { savedBy }), ...(savedRights !== undefined && { savedRights }) }
      return [key, { ...withoutPerson(task), ...saved }]
    }),
  )
}

/** Refuses more tasks than a server may have; where there were more before, as many may stay. */
export function refuseTooMany(tasks: Tasks | null | undefined, before: Tasks | null | undefined): void {
  const count = (some: Tasks | null | undefined) => Object.keys(some ?? {}).length
  if (count(tasks) > Math.max(limits.tasksPerServer, count(before)))
    throw new Refusal('ErrTooMany', { max: limits.tasksPerServer })
}

/** Who acts, from the subject of a ticket; `undefined` for the panel itself. */
export function personOf(sub: string): number | undefined {
  const number = /^user:(\d{1,15})$/.exec(sub)?.[1]
  return number === undefined ? undefined : Number(number)
}

function withoutPerson(task: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const { savedBy: _, savedRights: __, ...rest } = task
  return rest
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
