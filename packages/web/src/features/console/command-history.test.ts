import { expect, test } from 'vitest'
import { parseCommands, searched, step, walkFrom, withCommand } from './command-history.ts'

test('walking up shows older commands, and back down the empty line', () => {
  const history = ['list', 'save-all']
  const up = step(history, walkFrom(history, ''), -1)
  const top = step(history, step(history, up.walk, -1).walk, -1)
  const down = step(history, step(history, top.walk, 1).walk, 1)

  expect([up.text, top.text, down.text]).toEqual(['save-all', 'list', ''])
})

test('walking up from a half-typed command finds those that begin with it, and back down what was typed', () => {
  const history = ['stop', 'Status', 'help save']
  const first = step(history, walkFrom(history, 'st'), -1)
  const second = step(history, first.walk, -1)
  const top = step(history, second.walk, -1)
  const down = step(history, step(history, top.walk, 1).walk, 1)

  expect([first.text, second.text, top.text, down.text]).toEqual(['Status', 'stop', 'stop', 'st'])
  expect(step(history, walkFrom(history, 'kick'), -1).text).toBe('kick')
})

test('a hundred commands are remembered, the newest last', () => {
  let history: readonly string[] = []
  for (let times = 0; times < 150; times++) history = withCommand(history, `say ${times}`)

  expect(history).toHaveLength(100)
  expect(history.at(-1)).toBe('say 149')
})

test('a repetition stands once, and nothing is not remembered', () => {
  expect(withCommand(['list', 'stop'], 'list')).toEqual(['stop', 'list'])
  expect(withCommand(['list'], '  ')).toEqual(['list'])
})

test('a search finds the newest first', () => {
  expect(searched(['say one', 'list', 'SAY two'], 'say')).toEqual(['SAY two', 'say one'])
})

test('what was kept and is damaged is no history', () => {
  expect(parseCommands('["list", 4, "stop"]')).toEqual(['list', 'stop'])
  expect(parseCommands('{')).toEqual([])
  expect(parseCommands(null)).toEqual([])
})
