import { expect, test } from 'vitest'
import { Lines } from './lines.ts'

const bytes = (text: string) => Buffer.from(text)

test('lines are whole, however they come, and have no colours', () => {
  const lines = new Lines(100)

  expect(lines.take(bytes('one\r\ntw'))).toEqual(['one'])
  expect(lines.take(bytes('o\n\n\x1b[32mgreen\x1b[0m\nä').subarray(0, -1))).toEqual(['two', '', 'green'])
  expect(lines.take(bytes('ä').subarray(1))).toEqual([])
  expect(lines.rest()).toEqual(['ä'])
  expect(lines.rest()).toEqual([])
})

test('a line that never ends takes no more memory than one', () => {
  const lines = new Lines(10)
  for (let count = 0; count < 1_000; count++) expect(lines.take(bytes('x'.repeat(100)))).toEqual([])

  expect(lines.take(bytes('\nnext\n'))).toEqual(['xxxxxxxxxx', 'next'])
})

test('where something was left out, no line is made up', () => {
  const lines = new Lines(100)
  lines.take(bytes('first ha'))
  lines.skip()

  expect(lines.take(bytes('lf of another\nwhole\n'))).toEqual(['whole'])
})
