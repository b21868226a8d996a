import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { parsePattern, patternProblem } from './pattern.ts'

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
  ['(a)\\1', 'refer back'],
  ['(?<x>a)\\k<x>', 'refer back'],
  ['a(?=b)', 'look around'],
  ['a(?!b)', 'look around'],
  ['(?<=a)b', 'look around'],
  ['(?<!a)b', 'look around'],
  ['(', 'Unterminated group'],
  ['a**', 'Nothing to repeat'],
  ['[z-a]', 'out of order'],
  ['[[:nothing:]]', 'is not known'],
  ['\\p{Nothing}', 'Invalid property name'],
  ['\\y', 'Invalid escape'],
])('“%s” is no pattern, in words: %s', (pattern, reason) => {
  expect(patternProblem(pattern)).toContain(reason)
  expect(() => parsePattern(pattern)).toThrow(reason)
})

test('a pattern has a bounded length', () => {
  expect(patternProblem('x'.repeat(limits.patternMax))).toBeUndefined()
  expect(patternProblem('x'.repeat(limits.patternMax + 1))).toContain('longer than')
})
