import { expect, test } from 'vitest'
import { formatReason, type ReasonCode, reasons, recognizeReason } from './reasons.ts'

test.for(Object.keys(reasons) as ReasonCode[])('the reason %s is recognized with its value', (code) => {
  const text = formatReason(code, { path: '/a b', detail: ' (no)', step: 'download', seconds: 600, message: 'full' })

  const found = recognizeReason(text)

  expect(found?.code).toBe(code)
  expect(formatReason(code, found?.values)).toBe(text)
  expect(text).not.toContain('${')
})

test.for(['', 'the disk', 'the disk is full of files', 'the step needs a network'])(
  'another text is none: "%s"',
  (text) => {
    expect(recognizeReason(text)).toBeUndefined()
  },
)
