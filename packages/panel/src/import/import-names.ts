import { limits } from '@innkeeper/contract/text/limits'

/** The name, or with a number when it is taken; within a maximum length. */
export async function uniqueName(
  name: string,
  max: number,
  separator: string,
  isTaken: (name: string) => boolean | Promise<boolean>,
): Promise<string> {
  if (!(await isTaken(name))) return name
  for (let number = 2; ; number++) {
    const suffix = `${separator}${number}`
    const next = `${name.slice(0, max - suffix.length)}${suffix}`
    if (!(await isTaken(next))) return next
  }
}

/** The nearest username of ours. */
export function validUsername(username: string): string {
  const plain = username.normalize('NFKD').replace(/\p{M}/gu, '')
  return plain
    .replace(/[^0-9A-Za-z_-]/g, '-')
    .slice(0, limits.usernameMax)
    .padEnd(3, '-')
}
