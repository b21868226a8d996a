import { expect, test } from 'vitest'
import { type Command, searchCommands, splitMatch } from './command-search.ts'

const entry = (label: string, group: string, detail?: string): Command => ({
  id: label,
  label,
  group,
  run: () => undefined,
  ...(detail === undefined ? {} : { detail }),
})

test('the start of a name beats the start of a word, and that its middle; groups keep their order', () => {
  const entries = [
    entry('Restart', 'On this server'),
    entry('Forest', 'Servers'),
    entry('World of res', 'Servers'),
    entry('Resource', 'Servers'),
  ]

  expect(searchCommands(entries, 'res').map(({ label }) => label)).toEqual([
    'Restart',
    'Resource',
    'World of res',
    'Forest',
  ])
})

test('the words of a query match in any position, and each of them must match', () => {
  const entries = [entry('Stop Trains', 'Servers'), entry('Start Trains', 'Servers'), entry('Stop Forest', 'Servers')]

  expect(searchCommands(entries, 'stop trains').map(({ label }) => label)).toEqual(['Stop Trains'])
  expect(searchCommands(entries, 'trains sto').map(({ label }) => label)).toEqual(['Stop Trains'])
})

test('a server is found by its address', () => {
  expect(searchCommands([entry('Lobby', 'Servers', '198.51.100.7:25565')], '51.100').map(({ label }) => label)).toEqual(
    ['Lobby'],
  )
})

test('every match of the query is highlighted', () => {
  expect(splitMatch('Forest Preserve', 'pres')).toEqual(['Forest ', 'Pres', 'erve'])
  expect(splitMatch('Forest', 'x')).toEqual(['Forest', '', ''])
})

test('keywords find a name together with it, after what has the words in its label', () => {
  const server: Command = { ...entry('Quiet voice', 'Servers'), keywords: 'Start Stop' }
  const entries = [
    server,
    entry('Stop Quiet voice', 'Servers'),
    { ...entry('Forest', 'Servers'), keywords: 'Start Stop' },
  ]

  expect(searchCommands(entries, 'stop voice').map(({ label }) => label)).toEqual(['Stop Quiet voice', 'Quiet voice'])
  expect(searchCommands(entries, 'stop').map(({ label }) => label)).toEqual(['Stop Quiet voice'])
})
