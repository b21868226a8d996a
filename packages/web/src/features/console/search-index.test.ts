import { expect, test } from 'vitest'
import { ConsoleBuffer } from './buffer.ts'
import { type Query, SearchIndex, toRegExp } from './search-index.ts'

function query(text: string, options: Partial<Query> = {}): Query {
  return { text, matchCase: false, isRegex: false, ...options }
}

function createIndex(text: string, options?: Partial<Query>): SearchIndex {
  return new SearchIndex(toRegExp(query(text, options)) as RegExp)
}

function createBuffer(text: string): ConsoleBuffer {
  const buffer = new ConsoleBuffer()
  buffer.write(text, 1)
  return buffer
}

test('a search ignores case and returns offsets in the visible text', () => {
  const index = createIndex('ardwen')

  index.update(createBuffer('\x1b[32m[INFO]\x1b[0m Ardwen met ARDWEN\nnobody\n'))

  expect(index.matches).toEqual([
    { line: 0, start: 7, end: 13 },
    { line: 0, start: 18, end: 24 },
  ])
})

test('a search can match case', () => {
  const index = createIndex('Ardwen', { matchCase: true })

  index.update(createBuffer('ardwen Ardwen\n'))

  expect(index.matches).toHaveLength(1)
})

test('special characters of regular expressions are matched literally', () => {
  const index = createIndex('(1.2)')

  index.update(createBuffer('a (1.2) b (152)\n'))

  expect(index.matches).toHaveLength(1)
})

test('a regular expression is supported, and an invalid one matches nothing', () => {
  const index = createIndex('\\d+ ms', { isRegex: true })

  index.update(createBuffer('took 412 ms\n'))

  expect(index.matches).toEqual([{ line: 0, start: 5, end: 11 }])
  expect(toRegExp(query('(', { isRegex: true }))).toBeUndefined()
})

test('an expression with empty matches terminates', () => {
  const index = createIndex('x*', { isRegex: true })

  index.update(createBuffer('abc\n'))

  expect(index.matches).toEqual([])
})

test('an update adds matches in new lines, and does not count a growing line twice', () => {
  const buffer = createBuffer('Ardwen jo')
  const index = createIndex('ardwen')
  index.update(buffer)

  buffer.write('ined\nArdwen left\n', 2)
  index.update(buffer)

  expect(index.matches.map(({ line }) => line)).toEqual([0, 1])
})

test('matches in dropped lines are removed', () => {
  const buffer = createBuffer('Ardwen\n')
  const index = createIndex('ardwen')
  index.update(buffer)

  for (let times = 0; times < 300; times++) buffer.write(`${'x'.repeat(99)}\n`.repeat(100), 2)
  index.update(buffer)

  expect(index.matches).toEqual([])
  expect(index.getMatchesInLine(0)).toEqual([])
})

test('everything is searched again after a reset', () => {
  const buffer = createBuffer('Ardwen\nArdwen\n')
  const index = createIndex('ardwen')
  index.update(buffer)

  buffer.reset()
  buffer.write('someone\nArdwen\n', 3)
  index.update(buffer)

  expect(index.matches.map(({ line }) => line)).toEqual([1])
})

test('a search in slices stops after its time, and goes on to the same matches', () => {
  const buffer = createBuffer('\x1b[32mArdwen\x1b[0m joined\n'.repeat(5_000))
  const index = createIndex('ardwen')

  const isDone = [index.update(buffer, 0)]
  const early = index.matches.length
  buffer.write('Ardwen left\n', 2)
  while (!isDone.at(-1) && isDone.length < 5_000) isDone.push(index.update(buffer, 0))

  expect(isDone[0]).toBe(false)
  expect([early > 0, early < 5_000]).toEqual([true, true])
  expect(index.matches.map(({ line }) => line)).toEqual(Array.from({ length: 5_001 }, (_, line) => line))
})
