import { expect, test } from 'vitest'
import { interpolate } from './refusals.ts'

test('unknown placeholders in a message stay', () => {
  expect(interpolate('${a} ${b}', { a: 1 })).toBe('1 ${b}')
})
