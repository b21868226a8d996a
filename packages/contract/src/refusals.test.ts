import { expect, test } from 'vitest'
import { fill } from './refusals.ts'

test('unknown placeholders in a message stay', () => {
  expect(fill('${a} ${b}', { a: 1 })).toBe('1 ${b}')
})
