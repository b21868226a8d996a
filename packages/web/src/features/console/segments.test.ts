import { expect, test } from 'vitest'
import { defaultStyle, parseLine } from './ansi.ts'
import { toSegments } from './segments.ts'

function getSegments(line: string, matches: { start: number; end: number }[] = []) {
  return toSegments(
    parseLine(line, defaultStyle).spans,
    matches.map((match) => ({ line: 0, ...match })),
  )
}

test('a match is a segment, also across colors', () => {
  const segments = getSegments('a\x1b[31mrd\x1b[0mwen', [{ start: 0, end: 4 }])

  expect(segments.map(({ text, match }) => [text, match])).toEqual([
    ['a', 0],
    ['rd', 0],
    ['w', 0],
    ['en', undefined],
  ])
})

test('a URL is a link, without the surrounding punctuation', () => {
  const segments = getSegments('see https://play.example/map?x=1 (or http://b.example/c).')

  expect(segments.filter(({ href }) => href).map(({ href }) => href)).toEqual([
    'https://play.example/map?x=1',
    'http://b.example/c',
  ])
})

test.each(['javascript://alert(1)', 'file:///etc/passwd', 'sftp://host/x'])('%s is not a link', (text) => {
  expect(getSegments(text).some(({ href }) => href)).toBe(false)
})
