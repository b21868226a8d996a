import { randomUUID } from 'node:crypto'

/** Tells what this process has begun from what an earlier one left. */
const mark = randomUUID().slice(0, 8)

/** A fresh name for something that is not whole yet, or on its way out. Listings do not show it. */
export const temporaryName = (): string => `.innkeeper-${mark}-${randomUUID()}.tmp`

/** Whether a name is one of ours, and none that people should see. */
export const isTemporary = (name: string): boolean => name.startsWith('.innkeeper-') && name.endsWith('.tmp')

/** Whether an earlier process left it, and nobody will come back for it. */
export function isLeftover(name: string): boolean {
  const by = /^\.innkeeper-(?<mark>[0-9a-f]{8})-[0-9a-f-]{27,36}\.tmp$/.exec(name)?.groups?.mark
  return by !== undefined && by !== mark
}
