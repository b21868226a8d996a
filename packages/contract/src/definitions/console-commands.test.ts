import { expect, test } from 'vitest'
import { formatCommandRecord, maskSecrets, parseCommandRecord, shorten } from './console-commands.ts'

test('parseCommandRecord reverses formatCommandRecord', () => {
  const text = formatCommandRecord('mara', 'say a > b')

  expect(text).toBe('mara> say a > b')
  expect(parseCommandRecord(text)).toEqual({ author: 'mara', command: 'say a > b' })
})

test.for(['Executing: java -jar server.jar', 'Task "x" finished', 'Executing: a> b', '> help', ''])(
  'another message is not a command record: %j',
  (text) => {
    expect(parseCommandRecord(text)).toBeUndefined()
  },
)

test('a record is one line of a bounded length', () => {
  expect(formatCommandRecord('mara', 'a\nb\u001b[31m')).toBe('mara> a b [31m')
  expect(formatCommandRecord('mara', 'x'.repeat(5_000))).toHaveLength('mara> '.length + 1_000)
  expect(shorten('😀😀😀', 2)).toBe('😀…')
})

test.for([
  ['say hello', 'say hello'],
  ['rcon_password hunter2', 'rcon_password ***'],
  ['set sv_password "two words"', 'set sv_password ***'],
  ['start --token=abc now', 'start --token=*** now'],
  ['password: abc', 'password: ***'],
  ['API_KEY=abc;op eve', 'API_KEY=***;op eve'],
  ['echo password hunter2; op eve', 'echo password ***; op eve'],
  ['/login hunter2', '/login ***'],
  ['op eve password', 'op eve password'],
  ['say the door opens with open-sesame', 'say the door opens with ***'],
  ['a'.repeat(8_000), 'a'.repeat(8_000)],
] as const)('secrets are masked in %j', ([command, masked]) => {
  const variables = { rcon_password: { value: 'open-sesame' }, empty_token: { value: '' }, motd: { value: 'hello' } }

  expect(maskSecrets(command, variables)).toBe(masked)
})
