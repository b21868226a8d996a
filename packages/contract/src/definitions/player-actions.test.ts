import { expect, test } from 'vitest'
import { Definition } from './definition.ts'
import { problemsOfDefinition } from './definition-problems.ts'
import { getPlayerActions } from './player-actions.ts'

const define = (players: unknown) => Definition.parse({ type: 'x', players })
const withAction = (action: object) => define({ actions: [{ type: 'kick', ...action }] })
const findFields = (definition: Definition) => problemsOfDefinition(definition).map(({ metadata }) => metadata.field)

test('an action has the arguments of its command', () => {
  const definition = define({
    actions: [
      { type: 'kick', command: 'kick {player} {reason}', arguments: { reason: { maxLength: 50 } } },
      { type: 'unban', command: 'unban "{player}"', arguments: { player: { pattern: '^\\d+$', except: ['0'] } } },
    ],
  })

  expect(problemsOfDefinition(definition)).toEqual([])
  expect(getPlayerActions(definition)).toMatchObject([
    {
      type: 'kick',
      arguments: [
        { name: 'player', type: 'name', isRequired: true, isQuoted: false, maxLength: 100 },
        { name: 'reason', type: 'text', isRequired: false, isQuoted: false, maxLength: 50 },
      ],
    },
    { type: 'unban', arguments: [{ name: 'player', isQuoted: true, pattern: '^\\d+$', except: ['0'] }] },
  ])
})

test.for([
  ['an argument in quotes that are no word of their own', 'kickuser "{player}" -r="{reason}"'],
  ['an argument in a call', 'TheNet:Kick("{player}")'],
  ['arguments with a separator of the game', 'Kick {player}/{reason}'],
  ['no reason', '/kick {player}'],
] as const)('a command can have %s', ([, command]) => {
  expect(findFields(withAction({ command }))).toEqual([])
})

test.for([
  ['lacks the player', 'kick everyone'],
  ['has an argument of another action', 'kick {player} {message}'],
  ['has an unknown argument', 'kick {player} {minutes}'],
  ['has an argument twice', 'kick {player} {player}'],
  ['is the argument', '{player}'],
  ['begins with an argument', 'kick{player} now'],
  ['is an argument in quotes', '"{player}"'],
  ['has text before its end, where blanks would separate arguments', 'kick {reason} {player}'],
  ['has text before a quote', 'kick {player} say "{reason} bye'],
  ['has arguments that grow together', 'kick {player}{reason}'],
  ['has an argument that grows together with a quote', 'kick ""{player}""'],
  ['has a quote without a counterpart', 'kick "{player}'],
  ['has an escaped quote', 'kick "\\"{player}"'],
  ['is two lines', 'kick {player}\nquit'],
  ['has the value of a variable', 'kick {player} ${password}'],
  ['looks like one with a variable', 'kick ${player}'],
  ['is empty', ''],
  ['is long', `kick {player} ${'x'.repeat(200)}`],
] as const)('a command that %s is refused, and never run', ([, command]) => {
  const definition = withAction({ command })

  expect(findFields(definition)).toEqual(['players.actions.0.command'])
  expect(getPlayerActions(definition)).toEqual([])
})

test.for([
  ['players', 7],
  ['players.actions', { actions: 'kick' }],
  ['players.actions.0', { actions: [7] }],
  ['players.actions.0.type', { actions: [{ type: 'tickle', command: 'tickle {player}' }] }],
  ['players.actions.0.command', { actions: [{ type: 'kick' }] }],
  ['players.actions.0.arguments.player.pattern', { actions: [{ pattern: '(' }] }],
  ['players.actions.0.arguments.player.maxLength', { actions: [{ maxLength: 1_000 }] }],
  ['players.actions.0.arguments.player.type', { actions: [{ type: 'number' }] }],
] as const)('%s can be invalid', ([field, players]) => {
  const [argument] = typeof players === 'object' && Array.isArray(players.actions) ? (players.actions as object[]) : []
  const isArgument = field.includes('arguments')
  const given = isArgument
    ? { actions: [{ type: 'kick', command: 'kick {player}', arguments: { player: argument } }] }
    : players

  expect(findFields(define(given))).toEqual([field])
})

test('an argument that the command lacks cannot be described, nor a type occur twice', () => {
  const kick = { type: 'kick', command: 'kick {player}' }

  expect(findFields(withAction({ ...kick, arguments: { reason: {} } }))).toEqual(['players.actions.0.arguments.reason'])
  expect(findFields(define({ actions: [kick, kick] }))).toEqual(['players.actions.1.type'])
})

test('the other actions of a definition with an invalid one can be used', () => {
  const definition = define({
    actions: [
      { type: 'ban', command: 'ban' },
      { type: 'kick', command: 'kick {player}' },
    ],
  })

  expect(getPlayerActions(definition).map(({ type }) => type)).toEqual(['kick'])
})
