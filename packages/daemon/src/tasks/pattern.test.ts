import { expect, test } from 'vitest'
import { parsePattern } from './pattern.ts'

const matches = (pattern: string, line: string): boolean => {
  const { source, flags } = parsePattern(pattern)
  return new RegExp(source, flags).test(line)
}

test.each([
  ['Done \\(\\d+\\.\\d+s\\)!', 'Done (3.14s)! For help, type "help"'],
  ['(?i)out of memory', 'java: OUT OF MEMORY'],
  ['^\\[.*\\] (?P<player>\\w+) joined', '[12:00] Ann joined the game'],
  ['(?<player>\\w+) left', 'Ann left'],
  ['\\QDone (\\E', 'Done (1s)'],
  ['\\Aready\\z', 'ready'],
  ['[[:digit:]]{3}', 'code 404'],
  ['[[:alpha:]\\-]+', 'a-b'],
  ['a\\-b\\:c\\ d\\"e', 'a-b:c d"e'],
  ['\\pL+\\p{Lu}', 'äÖ'],
  ['(?i:error)|warn', 'an ERROR'],
  ['x{2,3}?', 'xx'],
  ['a/b', 'a/b'],
])('“%s” fits', (pattern, line) => {
  expect(matches(pattern, line)).toBe(true)
  expect(matches(pattern, '*** 12 ***')).toBe(false)
})

test.each([
  '(a)\\1',
  '(?<x>a)\\k<x>',
  'a(?=b)',
  'a(?!b)',
  '(?<=a)b',
  '(?<!a)b',
  '(',
  'a**',
  '[z-a]',
  '[[:nothing:]]',
  '\\p{Nothing}',
  '\\y',
])('“%s” is no pattern', (pattern) => {
  expect(() => parsePattern(pattern)).toThrow(/pattern|known/)
})
