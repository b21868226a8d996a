import { expect, test } from 'vitest'
import { plain, spansOf } from './ansi.ts'
import { piecesOf } from './pieces.ts'

function pieces(line: string, matches: { start: number; end: number }[] = []) {
  return piecesOf(
    spansOf(line, plain).spans,
    matches.map((match) => ({ line: 0, ...match })),
  )
}

test('a match is cut out, also across colours', () => {
  const cut = pieces('a\x1b[31mrd\x1b[0mwen', [{ start: 0, end: 4 }])

  expect(cut.map(({ text, match }) => [text, match])).toEqual([
    ['a', 0],
    ['rd', 0],
    ['w', 0],
    ['en', undefined],
  ])
})

test('a web address leads to itself, without the sentence around it', () => {
  const cut = pieces('see https://play.example/map?x=1 (or http://b.example/c).')

  expect(cut.filter((piece) => piece.href).map((piece) => piece.href)).toEqual([
    'https://play.example/map?x=1',
    'http://b.example/c',
  ])
})

test.each(['javascript://alert(1)', 'file:///etc/passwd', 'sftp://host/x'])('%s leads nowhere', (text) => {
  expect(pieces(text).some((piece) => piece.href)).toBe(false)
})
