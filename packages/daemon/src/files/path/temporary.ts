import { randomUUID } from 'node:crypto'

/** Distinguishes the temporary files of this process from leftovers of an earlier one. */
const mark = randomUUID().slice(0, 8)

/** Returns a new temporary name, which listings hide. */
export const temporaryName = (): string => `.innkeeper-${mark}-${randomUUID()}.tmp`

/** Whether a name is a temporary one, hidden from users. */
export const isTemporary = (name: string): boolean => name.startsWith('.innkeeper-') && name.endsWith('.tmp')

/** Whether an earlier process left it. */
export function isLeftover(name: string): boolean {
  const by = /^\.innkeeper-(?<mark>[0-9a-f]{8})-[0-9a-f-]{27,36}\.tmp$/.exec(name)?.groups?.mark
  return by !== undefined && by !== mark
}
