import { expect, test } from 'vitest'
import { decodeText, detectIndentation, encodeText } from './text-file.ts'

const utf8 = (text: string) => new TextEncoder().encode(text)

test.each<[string, Uint8Array, string, string, number]>([
  ['plain text', utf8('a: 1\nb: 2\n'), 'utf8', 'lf', 3],
  ['text without a final newline', utf8('a: 1\nb: 2'), 'utf8', 'lf', 2],
  ['an empty file', utf8(''), 'utf8', 'lf', 1],
  ['lines of Windows', utf8('a\r\nb\r\n'), 'utf8', 'crlf', 3],
  ['lines of both kinds', utf8('a\r\nb\nc\r\n'), 'utf8', 'mixed', 4],
  ['a carriage return in a line', utf8('50%\r100%\n'), 'utf8', 'mixed', 2],
  ['a byte order mark', utf8('\ufeffmotd=hi\n'), 'utf8bom', 'lf', 2],
  ['a byte order mark in the middle', utf8('a\ufeffb'), 'utf8', 'lf', 1],
  ['all of Unicode', utf8('§ é 漢 🎮 \u2028\u2029\u0085\n'), 'utf8', 'lf', 2],
  ['a character of Latin-1', Uint8Array.of(0x6d, 0xe9, 0x0d, 0x0a), 'latin1', 'crlf', 2],
  ['a byte that Windows-1252 knows otherwise', Uint8Array.of(0x80, 0x9f), 'latin1', 'lf', 1],
  ['a mark before what is no UTF-8', Uint8Array.of(0xef, 0xbb, 0xbf, 0xe9), 'latin1', 'lf', 1],
  ['something that is no text', Uint8Array.of(0x00, 0xff, 0x0a, 0x0d), 'binary', 'mixed', 2],
])('%s comes back byte for byte', (_, bytes, encoding, lineEnding, lines) => {
  const file = decodeText(bytes)

  expect(file).toMatchObject({ encoding, lineEnding })
  expect(file.lines).toHaveLength(lines)
  expect(encodeText(file)).toEqual(bytes)
})

test('all byte values survive a round trip', () => {
  const pieces = [
    [0x0a],
    [0x0d, 0x0a],
    [0x0d],
    [0x61],
    [0xc3, 0xa9],
    [0xe9],
    [0xf0, 0x9f, 0x8e, 0xae],
    [0xef, 0xbb, 0xbf],
  ]
  let seed = 7
  const next = (below: number) => {
    seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648
    return seed % below
  }
  for (let round = 0; round < 2_000; round++) {
    const bytes = Uint8Array.from(Array.from({ length: next(12) }, () => pieces[next(pieces.length)] ?? []).flat())

    expect([...(encodeText(decodeText(bytes)) ?? [])]).toEqual([...bytes])
  }
})

test('a long file of Latin-1 is read whole', () => {
  const bytes = new Uint8Array(100_000).fill(0xe9)

  expect(decodeText(bytes).lines[0]).toHaveLength(100_000)
})

test('a character that the encoding of the file lacks is an error instead of being replaced', () => {
  const file = decodeText(Uint8Array.of(0xe9))

  expect(encodeText({ ...file, lines: ['é', 'ñ'] })).toEqual(Uint8Array.of(0xe9, 0x0a, 0xf1))
  expect(encodeText({ ...file, lines: ['漢'] })).toBeUndefined()
})

test.each([
  ['a:\n  b:\n    c: 1\nd: 2', 'spaces', 2],
  ['a\n    b\n        c\n', 'spaces', 4],
  ['a\n\tb\n\t\tc', 'tabs', 4],
  ['nothing\nis\nindented', 'spaces', 2],
  ['/*\n * one space\n * of a comment\n */\nx {\n    y\n}', 'spaces', 4],
])('%j is indented with %s of %i', (text, type, width) => {
  expect(detectIndentation(text.split('\n'))).toEqual({ type, width })
})
