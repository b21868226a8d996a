import { readFileSync } from 'node:fs'
import { endianness } from 'node:os'

/** The units of /proc on this host, from the auxiliary vector. */
export const kernelConstants = { pageBytes: auxiliary(6, 4096), ticksPerSecond: auxiliary(17, 100) } as const

function auxiliary(type: number, otherwise: number): number {
  const vector = readFileSync('/proc/self/auxv')
  const word = (at: number) => Number(endianness() === 'LE' ? vector.readBigUInt64LE(at) : vector.readBigUInt64BE(at))
  for (let at = 0; at + 16 <= vector.length; at += 16) if (word(at) === type) return word(at + 8)
  return otherwise
}
