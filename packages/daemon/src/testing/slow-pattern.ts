/** A pattern that takes seconds for a specially made piece of output: linear, but slow. */
export const slowPattern = 'x.{0,199}z$'

/** Lines that do not match the pattern, after seconds. */
export function slowOutput(lines = 16): string {
  let seed = 1
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return 'xab'[Math.floor((seed / 0x7fffffff) * 3)]
  }
  return Array.from({ length: lines }, () => `z${Array.from({ length: 4_000 }, next).join('')}q\n`).join('')
}
