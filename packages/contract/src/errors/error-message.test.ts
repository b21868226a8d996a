import { expect, test } from 'vitest'
import { errorMessage } from './error-message.ts'

test.for<[string, unknown, string]>([
  ['an error', new Error('no such host'), 'no such host'],
  ['an error without a message', new TypeError(), 'TypeError'],
  ['a value', 42, '42'],
  [
    'several errors',
    new AggregateError([new Error('::1 refused'), new Error('127.0.0.1 refused')]),
    '::1 refused; 127.0.0.1 refused',
  ],
  ['several equal errors', new AggregateError([new Error('refused'), new Error('refused')]), 'refused'],
  ['several errors with a message', new AggregateError([new Error('refused')], 'all failed'), 'all failed'],
  ['no errors', new AggregateError([]), 'AggregateError'],
])('the message of %s', ([, error, message]) => {
  expect(errorMessage(error)).toBe(message)
})
