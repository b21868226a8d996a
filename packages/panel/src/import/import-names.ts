import { limits } from '@innkeeper/contract/limits'

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

/** The nearest server name of ours; `otherwise` when nothing remains. */
export function validServerName(name: string, otherwise: string): string {
  const plain = name.normalize('NFKD').replace(/\p{M}/gu, '')
  const words = plain.slice(0, 1_000).replace(/[^\w\-. ]/g, ' ')
  return words.split(' ').filter(Boolean).join(' ').slice(0, limits.serverNameMax).trim() || otherwise
}
