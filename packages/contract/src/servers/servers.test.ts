import { expect, test } from 'vitest'
import { getStatusGroup } from './servers.ts'
import type { ServerState, ServerStatus } from './status.ts'

function status(state: ServerState, more: Partial<ServerStatus> = {}): ServerStatus {
  return { running: state === 'online', installing: state === 'installing', state, since: '', ...more }
}
const crashed = status('offline', { lastExit: { at: '', reason: 'outOfMemory', code: null, signal: 'SIGKILL' } })

test.for([
  ['online', { status: status('online') }],
  ['offline', { status: status('offline') }],
  ['crashed', { status: crashed }],
  ['busy', { status: status('installing') }],
  ['busy', { status: status('starting') }],
  ['busy', { status: status('stopping') }],
  ['busy', { status: status('waiting') }],
  ['unknown', {}],
  ['unknown', { status: status('online'), isOld: true }],
  ['unknown', { status: status('online', { isInDoubt: true }) }],
] as const)('the group is %s for %j', ([group, usage]) => {
  expect(getStatusGroup(usage)).toBe(group)
})
