import { expect, test } from 'vitest'
import { LineSplitter } from './line-splitter.ts'

const bytes = (text: string) => Buffer.from(text)

test('lines are complete, however output is split, and have no colors', () => {
  const lines = new LineSplitter(100)

  expect(lines.push(bytes('one\r\ntw'))).toEqual(['one'])
  expect(lines.push(bytes('o\n\n\x1b[32mgreen\x1b[0m\nä').subarray(0, -1))).toEqual(['two', '', 'green'])
  expect(lines.push(bytes('ä').subarray(1))).toEqual([])
  expect(lines.flush()).toEqual(['ä'])
  expect(lines.flush()).toEqual([])
})

test('an endless line uses no more memory than one', () => {
  const lines = new LineSplitter(10)
  for (let count = 0; count < 1_000; count++) expect(lines.push(bytes('x'.repeat(100)))).toEqual([])

  expect(lines.push(bytes('\nnext\n'))).toEqual(['xxxxxxxxxx', 'next'])
})

test('after a gap no partial line is reported', () => {
  const lines = new LineSplitter(100)
  lines.push(bytes('first ha'))
  lines.skip()

  expect(lines.push(bytes('lf of another\nwhole\n'))).toEqual(['whole'])
})
