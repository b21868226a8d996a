import type { LivenessCheck } from '@innkeeper/contract/definitions/liveness'
import { expect, test } from 'vitest'
import { advance, type CheckResult, initialState } from './rules.ts'

const checks: readonly LivenessCheck[] = [{ type: 'query' }, { type: 'output', within: 60 }]
const outcomes = { s: 'succeeded', f: 'failed', u: 'unknown' } as const

/** `sf`: the query succeeded, the output failed. */
function getResults(round: string): CheckResult[] {
  return [...round].map((letter) => ({ outcome: outcomes[letter as keyof typeof outcomes], detail: letter }))
}

test.for<[string, string, { failures: number; type?: string; since?: number }]>([
  ['nothing is known before the first round', '', { failures: 0 }],
  ['all succeed', 'ss ss', { failures: 0 }],
  ['a query that never succeeded cannot fail', 'fs fs fs fs', { failures: 0 }],
  ['a query that succeeded once can', 'ss fs fs', { failures: 2, type: 'query', since: 1 }],
  ['output can fail from the beginning', 'uf uf', { failures: 2, type: 'output', since: 0 }],
  ['rounds in which another check fails are counted together', 'ss fs sf', { failures: 2, type: 'output', since: 1 }],
  ['a round without a failure ends the row', 'ss fs ss fs', { failures: 1, type: 'query', since: 3 }],
  ['one in which nothing was found out does not', 'ss fs uu fs', { failures: 2, type: 'query', since: 1 }],
  ['what is unknown beside a success does', 'ss sf su', { failures: 0 }],
])('%s: %s', ([, rounds, { failures, type, since }]) => {
  const state = rounds
    .split(' ')
    .filter((round) => round !== '')
    .reduce((before, round, at) => advance(before, checks, getResults(round), at), initialState)

  expect([state.failures, state.failing?.type, state.failing?.since]).toEqual([failures, type, since])
})
