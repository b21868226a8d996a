import { expect, test } from 'vitest'
import { appendCommand, createCursor, moveCursor, parseCommands, searchCommands } from './command-history.ts'

test('up shows older commands, and down returns to the empty draft', () => {
  const history = ['list', 'save-all']
  const up = moveCursor(history, createCursor(history, ''), -1)
  const top = moveCursor(history, moveCursor(history, up.cursor, -1).cursor, -1)
  const down = moveCursor(history, moveCursor(history, top.cursor, 1).cursor, 1)

  expect([up.text, top.text, down.text]).toEqual(['save-all', 'list', ''])
})

test('up from a draft shows commands with this prefix, and down returns to the draft', () => {
  const history = ['stop', 'Status', 'help save']
  const first = moveCursor(history, createCursor(history, 'st'), -1)
  const second = moveCursor(history, first.cursor, -1)
  const top = moveCursor(history, second.cursor, -1)
  const down = moveCursor(history, moveCursor(history, top.cursor, 1).cursor, 1)

  expect([first.text, second.text, top.text, down.text]).toEqual(['Status', 'stop', 'stop', 'st'])
  expect(moveCursor(history, createCursor(history, 'kick'), -1).text).toBe('kick')
})

test('the last 100 commands are stored, the newest last', () => {
  let history: readonly string[] = []
  for (let times = 0; times < 150; times++) history = appendCommand(history, `say ${times}`)

  expect(history).toHaveLength(100)
  expect(history.at(-1)).toBe('say 149')
})

test('a repeated command is stored once, and a blank one is not stored', () => {
  expect(appendCommand(['list', 'stop'], 'list')).toEqual(['stop', 'list'])
  expect(appendCommand(['list'], '  ')).toEqual(['list'])
})

test('a search returns the newest first', () => {
  expect(searchCommands(['say one', 'list', 'SAY two'], 'say')).toEqual(['SAY two', 'say one'])
})

test('an invalid stored history is empty', () => {
  expect(parseCommands('["list", 4, "stop"]')).toEqual(['list', 'stop'])
  expect(parseCommands('{')).toEqual([])
  expect(parseCommands(null)).toEqual([])
})
