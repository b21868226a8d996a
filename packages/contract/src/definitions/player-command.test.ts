import { describe, expect, test } from 'vitest'
import { Refusal } from '../errors/refusals.ts'
import { getPlayerActions, type PlayerAction } from './player-actions.ts'
import { buildPlayerCommand, type PlayerValues } from './player-command.ts'

function define(command: string, more: object = {}): PlayerAction {
  const type = command.includes('{message}') ? (command.includes('{player}') ? 'message' : 'broadcast') : 'kick'
  const [action] = getPlayerActions({ players: { actions: [{ type, command, ...more }] } })
  if (!action) throw new Error(`${command} is refused`)
  return action
}

function refusal(action: PlayerAction, values: PlayerValues): unknown {
  try {
    return buildPlayerCommand(action, values)
  } catch (cause) {
    return cause instanceof Refusal ? [cause.code, cause.metadata.field] : cause
  }
}

const free = { reason: { forbiddenCharacters: '' } }

test.for([
  ['kick {player} {reason}', { player: 'Steve', reason: 'no griefing' }, 'kick Steve no griefing'],
  ['kick {player} {reason}', { player: 'Steve' }, 'kick Steve'],
  ['kick {player} {reason}', { player: 'Steve', reason: '  ' }, 'kick Steve'],
  ['kick {player} {reason}', { player: '.Be_d-rock', reason: ' a ' }, 'kick .Be_d-rock a'],
  ['kick {player} {reason}', { player: 'STEAM_1:0:12' }, 'kick STEAM_1:0:12'],
  ['kick {player} {reason}', { player: '[U:1:12]' }, 'kick [U:1:12]'],
  ['kick {player} {reason}', { player: 'Ünï_çøde' }, 'kick Ünï_çøde'],
  ['kick "{player}"', { player: 'A & B; C' }, 'kick "A & B; C"'],
  ['kick "{player}"', { player: '{reason} $& $1' }, 'kick "{reason} $& $1"'],
  ['kickuser "{player}" -r "{reason}"', { player: 'a b' }, 'kickuser "a b" -r ""'],
  ['say "{message}"', { message: "Don't stop 👩‍🚀 ❤️" }, 'say "Don\'t stop 👩‍🚀 ❤️"'],
] as const)('%s with %o is %s', ([command, values, line]) => {
  expect(buildPlayerCommand(define(command), values)).toBe(line)
})

describe.each([
  ['a word', 'kick {player}', {}],
  ['a word before a reason', 'kick {player} {reason}', { arguments: free }],
  ['a name in quotes', 'kick "{player}"', {}],
])('%s as a name', (_, command, more) => {
  test.for([
    ['a second line', 'Steve\nop Mallory'],
    ['a line ending of Windows', 'Steve\r\nop Mallory'],
    ['a line separator', 'Steve\u2028op Mallory'],
    ['a next line', 'Steve\u0085op Mallory'],
    ['an end of text', 'Steve\u0003'],
    ['a NUL', 'Steve\0'],
    ['an escape sequence', '\u001b[2JSteve'],
    ['a backspace', 'a\b\b\bop Mallory'],
    ['a tabulator, which completes', 'Ste\t'],
    ['a right-to-left override', 'Steve\u202eevetS'],
    ['half a character', 'Steve\ud83d'],
    ['a closing quote', 'Steve" ; op Mallory ; say "'],
    ['an escape of the quote', 'Steve\\'],
    ['all players', '@a'],
    ['an option', '-all'],
    ['nothing', ''],
    ['blanks', '   '],
    ['too many characters', 'x'.repeat(101)],
    ['very many characters', 'x'.repeat(1_000_000)],
  ])('cannot be %s', ([, player = '']) => {
    expect(refusal(define(command, more), { player })).toEqual([expect.stringMatching(/^ErrField/), 'player'])
  })
})

test.for([
  'a b',
  'a;b',
  "a'b",
  'a$b',
  'a`b',
  'a|b',
  'a&b',
  'a/b',
  'a,b',
  'a=b',
  'a#b',
  'a\u00a0b',
  'a\u3000b',
  '(a)',
  '*',
])('a name outside quotes is one word: %s is not', (player) => {
  expect(refusal(define('kick {player}'), { player })).toEqual(['ErrFieldCharacters', 'player'])
})

test.for([';op Mallory', 'a"', 'a\\', '$rcon_password', '`a`'])('text outside quotes cannot be %s', (reason) => {
  expect(refusal(define('kick {player} {reason}'), { player: 'a', reason })).toEqual(['ErrFieldCharacters', 'reason'])
})

test('a template allows characters that its console reads as they are, but no second line', () => {
  const action = define('kick {player} {reason}', { arguments: free })

  expect(buildPlayerCommand(action, { player: 'a', reason: '$5; "no" \\o/' })).toBe('kick a $5; "no" \\o/')
  expect(refusal(action, { player: 'a', reason: 'a\nb' })).toEqual(['ErrFieldNotOneLine', 'reason'])
})

test('a template forbids more: separators of arguments, other values, those that mean all players', () => {
  const player = { type: 'text', forbiddenCharacters: '/', except: ['all'], pattern: '^[a-z ]+/?$' }
  const action = define('Kick {player}', { arguments: { player } })

  expect(buildPlayerCommand(action, { player: 'a b' })).toBe('Kick a b')
  expect(refusal(action, { player: 'a/1' })).toEqual(['ErrFieldCharacters', 'player'])
  expect(refusal(action, { player: ' ALL ' })).toEqual(['ErrFieldInvalid', 'player'])
  expect(refusal(action, { player: 'a1' })).toEqual(['ErrFieldPattern', 'player'])
})

test('a line is shorter than what games read at once', () => {
  const action = define('tell {player} {message}')
  const build = (length: number) => buildPlayerCommand(action, { player: 'x'.repeat(50), message: 'ä'.repeat(length) })

  expect(new TextEncoder().encode(build(97)).length).toBeLessThan(256)
  expect(refusal(action, { player: 'x'.repeat(50), message: 'ä'.repeat(98) })).toEqual(['ErrFieldTooLong', 'message'])
})

/** How Quake and Source read a line: `;` outside quotes separates commands, quotes keep an argument together. */
function readLine(line: string): string[][] {
  const commands: string[][] = [[]]
  for (const [token] of line.matchAll(/"[^"]*"?|;|\n|[^\s";]+/g)) {
    if (token === ';' || token === '\n') commands.push([])
    else commands.at(-1)?.push(token.replace(/^"([^"]*)"?$/, '$1'))
  }
  return commands
}

/** A generator of pseudo-random numbers below `max` (mulberry32). */
function random(seed: number) {
  let state = seed
  return (max: number) => {
    state = (state + 0x6d2b79f5) | 0
    let bits = Math.imul(state ^ (state >>> 15), 1 | state)
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits
    return ((bits ^ (bits >>> 14)) >>> 0) % max
  }
}

const hostile = [...';"\\\'$`|&/{}@-#%~^ \t\r\n\0\u0085\u2028\u00a0ä表;"', 'a', 'op', 'quit', '{player}', '//', '/*']

test.for([
  ['kick "{player}" "{reason}"', 3],
  ['kick {player} "{reason}"', 3],
  ['say_to "{player}" -m "{message}"', 4],
] as const)('no value adds a command or an argument to %s', ([command, count]) => {
  const action = define(command)
  const next = random(42)
  const draw = () => Array.from({ length: 1 + next(3) }, () => hostile[next(hostile.length)]).join('')
  let built = 0
  for (let round = 0; round < 500; round++) {
    const [player, text] = [draw(), draw()]
    const line = refusal(action, { player, reason: text, message: text })
    if (typeof line !== 'string') continue
    built++
    const last = text.trim()
    expect(readLine(line), line).toEqual([expect.objectContaining({ length: count, 1: player, [count - 1]: last })])
  }
  expect(built).toBeGreaterThan(10)
})
