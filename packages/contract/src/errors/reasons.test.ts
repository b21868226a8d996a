import { expect, test } from 'vitest'
import { formatReason, type ReasonCode, reasons, recognizeReason } from './reasons.ts'

test.for(Object.keys(reasons) as ReasonCode[])('the reason %s is recognized with its value', (code) => {
  const text = formatReason(code, {
    path: '/a b',
    detail: ' (no)',
    step: 'download',
    seconds: 600,
    message: 'full',
    version: '0.17',
    found: 'restic 0.9',
    name: 'innkeeper-1',
    owner: '/srv',
    code: 3,
    signal: 'SIGKILL',
    backup: '"old" (2026-01-01 10:00 UTC)',
    reason: 'the disk is full',
  })

  const found = recognizeReason(text)

  expect(found?.code).toBe(code)
  expect(formatReason(code, found?.values)).toBe(text)
  expect(text).not.toContain('${')
})

test('a reason has all its values', () => {
  const found = recognizeReason(formatReason('containerOfOtherNode', { name: 'a', owner: 'c)' }))

  expect(found).toEqual({ code: 'containerOfOtherNode', values: { name: 'a', owner: 'c)' } })
})

test.for(['', 'the disk', 'the disk is full of files', 'the step needs a network'])(
  'another text is none: "%s"',
  (text) => {
    expect(recognizeReason(text)).toBeUndefined()
  },
)
