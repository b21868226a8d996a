import { randomUUID } from 'node:crypto'

/** Distinguishes the temporary files of this process from leftovers of an earlier one. */
const mark = randomUUID().slice(0, 8)

/** Returns a new temporary name, which listings hide. */
export const temporaryName = (): string => `.innkeeper-${mark}-${randomUUID()}.tmp`

/**
 * Returns a new temporary name for the directory of the former content of a file that is overwritten by one with this
 * inode.
 */
export const formerContentName = (inode: bigint): string =>
  `.innkeeper-${mark}-${randomUUID()}-${inode.toString(16)}.former.tmp`

/** The inode in such a name that an earlier process left; undefined for any other name. */
export function leftoverFormerInode(name: string): bigint | undefined {
  const found = /^\.innkeeper-(?<by>[0-9a-f]{8})-[0-9a-f-]{36}-(?<inode>[0-9a-f]{1,16})\.former\.tmp$/.exec(
    name,
  )?.groups
  return found && found.by !== mark ? BigInt(`0x${found.inode}`) : undefined
}

/** Whether a name is a temporary one, hidden from users. */
export const isTemporary = (name: string): boolean => name.startsWith('.innkeeper-') && name.endsWith('.tmp')

/** Whether an earlier process left it. */
export function isLeftover(name: string): boolean {
  const by = /^\.innkeeper-(?<mark>[0-9a-f]{8})-[0-9a-f-]{27,36}\.tmp$/.exec(name)?.groups?.mark
  return by !== undefined && by !== mark
}
