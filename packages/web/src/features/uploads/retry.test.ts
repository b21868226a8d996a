import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { expect, test } from 'vitest'
import { attachRequestDetails } from '../../api/request.ts'
import { getRetryDecision } from './retry.ts'

const failed = (code: RefusalCode, status = new Refusal(code).status) =>
  attachRequestDetails(new Refusal(code), { method: 'PATCH', path: '/', status, timestamp: 0 })

test.each<[what: string, error: unknown, decision: string]>([
  ['no answer at all', failed('ErrServiceNotAvailable', 0), 'waitForNetwork'],
  ['a panel whose node is away', failed('ErrServiceNotAvailable', 502), 'waitForNode'],
  ['a proxy whose panel is away', failed('ErrServiceNotAvailable', 503), 'waitForNode'],
  ['an upload that another connection still holds', failed('ErrUnknownError', 423), 'waitForNode'],
  ['more bytes there than we thought', failed('ErrUploadOffset'), 'waitForNode'],
  ['a daemon that stops', failed('ErrCancelled'), 'waitForNode'],
  ['a name that exists', failed('ErrFileExists'), 'fail'],
  ['a permission that was revoked', failed('ErrNoPermission'), 'fail'],
  ['a full disk', failed('ErrDisk'), 'fail'],
  ['a session that ended', failed('ErrSessionTimedOut'), 'fail'],
  ['a bug', new TypeError('no'), 'fail'],
])('what is done about %s', (_, error, decision) => {
  expect(getRetryDecision(error)).toBe(decision)
})
