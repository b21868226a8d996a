import { expect, test } from 'vitest'
import { Definition } from './definition.ts'
import { problemsOfDefinition } from './definition-problems.ts'
import { getPlayerPatterns } from './player-patterns.ts'

const define = (players: unknown) => Definition.parse({ type: 'x', players })

test('the patterns are in the order in which a line is matched, chat first', () => {
  const definition = define({
    patterns: {
      death: '^(?<name>\\w+) died$',
      leave: ['^(?<id>\\d+) left$', '^(?P<name>\\w+) quit$'],
      chat: '^<(?<name>.+?)>',
    },
  })

  expect(getPlayerPatterns(definition)).toEqual([
    { event: 'chat', pattern: '^<(?<name>.+?)>' },
    { event: 'leave', pattern: '^(?<id>\\d+) left$' },
    { event: 'leave', pattern: '^(?P<name>\\w+) quit$' },
    { event: 'death', pattern: '^(?<name>\\w+) died$' },
  ])
  expect(problemsOfDefinition(definition)).toEqual([])
})

test.for([
  ['no group for the name', { join: '^\\w+ joined$' }, 'players.patterns.join', /group "name"/],
  [
    'an ID without a name, except for a leave',
    { join: '^(?<id>\\d+) joined$' },
    'players.patterns.join',
    /group "name"/,
  ],
  ['what is no pattern', { leave: ['^(?<name>.+) left$', '('] }, 'players.patterns.leave.1', /parenthesis|\)/],
  ['lookaround', { chat: '(?<=<)(?<name>.+)>' }, 'players.patterns.chat', /./],
  ['an empty pattern', { death: '' }, 'players.patterns.death', /group "name"/],
  ['a number', { leave: 7 }, 'players.patterns.leave', undefined],
  ['too many', { join: Array.from({ length: 6 }, () => '(?<name>x)') }, 'players.patterns.join', undefined],
  ['a list', [], 'players.patterns', undefined],
] as const)('%s is not saved, and not matched', ([, patterns, field, reason]) => {
  const definition = define({ patterns })

  const problems = problemsOfDefinition(definition)

  expect(problems).toMatchObject([{ code: 'ErrFieldInvalid', metadata: { field } }])
  if (reason) expect(problems[0]?.metadata.reason).toMatch(reason)
  expect(getPlayerPatterns(definition).filter(({ pattern }) => !pattern.includes(' left'))).toEqual([])
})

test('a definition without patterns, or with those of unknown events, has none', () => {
  expect(
    [undefined, null, {}, { patterns: {} }, { patterns: { jump: 7 } }].flatMap((players) =>
      getPlayerPatterns(define(players)),
    ),
  ).toEqual([])
  expect(problemsOfDefinition(define('all'))).toMatchObject([{ metadata: { field: 'players' } }])
})
