import { expect, test } from 'vitest'
import { ConsoleBuffer } from './buffer.ts'
import { expressionOf, Finder, type Query } from './finder.ts'

function query(text: string, options: Partial<Query> = {}): Query {
  return { text, matchCase: false, isRegex: false, ...options }
}

function finding(text: string, options?: Partial<Query>): Finder {
  return new Finder(expressionOf(query(text, options)) as RegExp)
}

function printed(text: string): ConsoleBuffer {
  const buffer = new ConsoleBuffer()
  buffer.write(text, 1)
  return buffer
}

test('text is found in any case, at its place in what a person reads', () => {
  const finder = finding('ardwen')

  finder.look(printed('\x1b[32m[INFO]\x1b[0m Ardwen met ARDWEN\nnobody\n'))

  expect(finder.matches).toEqual([
    { line: 0, start: 7, end: 13 },
    { line: 0, start: 18, end: 24 },
  ])
})

test('case matters when asked', () => {
  const finder = finding('Ardwen', { matchCase: true })

  finder.look(printed('ardwen Ardwen\n'))

  expect(finder.matches).toHaveLength(1)
})

test('text with signs of an expression is found as it is', () => {
  const finder = finding('(1.2)')

  finder.look(printed('a (1.2) b (152)\n'))

  expect(finder.matches).toHaveLength(1)
})

test('an expression finds what it describes, and half of one nothing', () => {
  const finder = finding('\\d+ ms', { isRegex: true })

  finder.look(printed('took 412 ms\n'))

  expect(finder.matches).toEqual([{ line: 0, start: 5, end: 11 }])
  expect(expressionOf(query('(', { isRegex: true }))).toBeUndefined()
})

test('an expression that matches nothing anywhere ends', () => {
  const finder = finding('x*', { isRegex: true })

  finder.look(printed('abc\n'))

  expect(finder.matches).toEqual([])
})

test('new lines are found as they come, and a growing line is not counted twice', () => {
  const buffer = printed('Ardwen jo')
  const finder = finding('ardwen')
  finder.look(buffer)

  buffer.write('ined\nArdwen left\n', 2)
  finder.look(buffer)

  expect(finder.matches.map(({ line }) => line)).toEqual([0, 1])
})

test('matches in dropped lines are gone', () => {
  const buffer = printed('Ardwen\n')
  const finder = finding('ardwen')
  finder.look(buffer)

  for (let times = 0; times < 300; times++) buffer.write(`${'x'.repeat(99)}\n`.repeat(100), 2)
  finder.look(buffer)

  expect(finder.matches).toEqual([])
  expect(finder.inLine(0)).toEqual([])
})

test('after a console began anew everything is read again', () => {
  const buffer = printed('Ardwen\nArdwen\n')
  const finder = finding('ardwen')
  finder.look(buffer)

  buffer.reset()
  buffer.write('someone\nArdwen\n', 3)
  finder.look(buffer)

  expect(finder.matches.map(({ line }) => line)).toEqual([1])
})
