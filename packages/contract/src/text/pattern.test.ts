import { expect, test } from 'vitest'
import { limits } from './limits.ts'
import { compilePattern, matchedLineChars, patternProblem } from './pattern.ts'

const matches = (pattern: string, line: string): boolean => compilePattern(pattern).test(line)

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
])('“%s” matches', (pattern, line) => {
  expect(matches(pattern, line)).toBe(true)
  expect(matches(pattern, '*** 12 ***')).toBe(false)
})

test.each([
  ['(a)\\1', 'invalid escape sequence'],
  ['(?<x>a)\\k<x>', 'invalid escape sequence'],
  ['a(?=b)', 'invalid or unsupported Perl syntax'],
  ['a(?!b)', 'invalid or unsupported Perl syntax'],
  ['(?<=a)b', 'invalid named capture'],
  ['(?<!a)b', 'invalid named capture'],
  ['(', 'missing closing )'],
  ['a**', 'invalid nested repetition operator'],
  ['[z-a]', 'invalid character class range'],
  ['[[:nothing:]]', 'invalid character class range'],
  ['\\p{Nothing}', 'invalid character class range'],
  ['\\y', 'invalid escape sequence'],
  ['x{251}', 'the sum of its repetition counts exceeds 250'],
  ['(?:x{0,200}){0,51}', 'the sum of its repetition counts exceeds 250'],
  ['(?:x{31}){31}', 'too complex'],
])('“%s” is rejected with a message: %s', (pattern, reason) => {
  expect(patternProblem(pattern)).toContain(reason)
  expect(() => compilePattern(pattern)).toThrow(reason)
})

test('a pattern has a bounded length', () => {
  expect(patternProblem('x'.repeat(limits.patternMax))).toBeUndefined()
  expect(patternProblem('x'.repeat(limits.patternMax + 1))).toContain('more than')
})

test.each(['(x+x+)+y', '(x*)*$', '(a+)+$', '(x|xx)*y$', '(.*)*y$', '(?:x?){100}y', '.{0,200}x{0,40}y$'])(
  'matching is fast also for a line that makes %s backtrack',
  (text) => {
    const lines = ['x', 'a', 'xa'].map((part) => `y${part.repeat(matchedLineChars)}`.slice(0, matchedLineChars))
    const pattern = compilePattern(text)
    const began = performance.now()

    for (const line of lines) pattern.test(line)

    expect(performance.now() - began).toBeLessThan(2_000)
  },
)

test('a pattern that is expensive to compile is rejected immediately', () => {
  const began = performance.now()

  for (const text of ['x{1000}'.repeat(62), '(?:(?:(?:x{9}){9}){9}){1,9}'.repeat(14), '(?:(?:x{1,31}){31}y)'.repeat(4)])
    expect(patternProblem(text)).toBeDefined()

  expect(performance.now() - began).toBeLessThan(2_000)
})
