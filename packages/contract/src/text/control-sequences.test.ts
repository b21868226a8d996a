import { stripVTControlCharacters } from 'node:util'
import { expect, test } from 'vitest'
import { stripControlSequences } from './control-sequences.ts'

test.each([
  ['colors', '\u001b[1;32mgreen\u001b[0m text', 'green text'],
  ['colors with a one-character start', '\u009b31mred\u009b0m', 'red'],
  ['the cursor', 'a\u001b[2K\u001b[10;20Hb\u001b[?25l', 'ab'],
  ['a title ended by BEL', '\u001b]0;title\u0007text', 'text'],
  ['a link ended by ST', '\u001b]8;;https://example.org\u001b\\here\u001b]8;;\u001b\\', 'here'],
  ['a character set', '\u001b(Bplain', 'plain'],
  ['a single escape', '\u001bMup', 'up'],
  ['nothing of plain text', 'größe ☃ 日本\n\tend', 'größe ☃ 日本\n\tend'],
])('removes %s', (_, text, expected) => {
  expect(stripControlSequences(text)).toBe(expected)
  expect(stripVTControlCharacters(text)).toBe(expected)
})

test.each([
  ['an OSC without an end', '\u001b]0;title', '0;title'],
  ['a CSI without an end', 'a\u001b[1;2', 'a'],
  ['an ESC at the end', 'a\u001b', 'a'],
])('keeps the text of %s', (_, text, expected) => {
  expect(stripControlSequences(text)).toBe(expected)
})

test.each([['\u001b]'], ['\u001b['], ['\u001b'], ['\u001b]x\u001b\\'], ['\u009b1']])(
  'takes linear time for repeated %j',
  (piece) => {
    expect(stripControlSequences(piece.repeat(1_000_000)).length).toBeLessThan(1_000_000)
  },
)
