import { randomUUID } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import type { DirHandle, RawName } from './dir-handle.ts'
import { lstatOrUndefined } from './tree-root.ts'

/** More existing names than that are an attack. */
const maxAttempts = 10_000

/** Returns an unused name in a directory: `a.zip`, `a (2).zip`, `a (3).zip` ... */
export async function freeNameIn(folder: DirHandle, name: RawName): Promise<RawName> {
  for (let number = 1; number <= maxAttempts; number++) {
    const numbered = number === 1 ? name : numberedName(name, number)
    if (!(await lstatOrUndefined(folder, numbered))) return numbered
  }
  throw new Refusal('ErrFileExists', { path: String(name) })
}

/** `world.tar.gz` becomes `world (2).tar.gz`; a name that would be too long is shortened before the number. */
function numberedName(name: RawName, number: number): RawName {
  // Invalid UTF-8 is shortened byte by byte.
  const encoding = typeof name === 'string' ? 'utf8' : 'latin1'
  const text = name.toString(encoding === 'utf8' ? undefined : encoding)
  const ending = /(?<=.)(?:\.tar)?\.[^. ]{1,16}$/s.exec(text)?.[0] ?? ''
  const more = ` (${number})${ending}`
  const letters = Array.from(text.slice(0, text.length - ending.length))
  while (Buffer.byteLength(letters.join('') + more, encoding) > limits.nameBytes) letters.pop()
  const numbered = letters.join('') + more
  return typeof name === 'string' ? numbered : Buffer.from(numbered, encoding)
}

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
