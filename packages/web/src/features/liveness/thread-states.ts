export const threadStates = ['running', 'sleeping', 'waiting', 'stopped', 'unknown'] as const
export type ThreadState = (typeof threadStates)[number]

/** Letters of `/proc`. */
const stateOfLetter: Readonly<Record<string, ThreadState>> = {
  R: 'running',
  S: 'sleeping',
  I: 'sleeping',
  D: 'waiting',
  T: 'stopped',
  t: 'stopped',
}

/** How many threads are in which state, those without a thread left out. */
export function countByState(threads: Readonly<Record<string, number>>): ReadonlyMap<ThreadState, number> {
  const counts = new Map<ThreadState, number>()
  for (const state of threadStates) {
    const count = Object.entries(threads).reduce(
      (sum, [letter, number]) => ((stateOfLetter[letter] ?? 'unknown') === state ? sum + number : sum),
      0,
    )
    if (count > 0) counts.set(state, count)
  }
  return counts
}
