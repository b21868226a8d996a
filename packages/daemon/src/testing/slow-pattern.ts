/** A pattern that takes seconds for a piece of output that is made for it: linear in the output, but slow. */
export const slowPattern = 'x.{0,199}z$'

/** Lines that the pattern does not fit, which take it seconds. */
export function slowOutput(lines = 16): string {
  let seed = 1
  const next = () => {
    seed = (seed * 1_103_515_245 + 12_345) & 0x7fffffff
    return 'xab'[Math.floor((seed / 0x7fffffff) * 3)]
  }
  return Array.from({ length: lines }, () => `z${Array.from({ length: 4_000 }, next).join('')}q\n`).join('')
}
