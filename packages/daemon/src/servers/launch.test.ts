import { Definition, Run } from '@innkeeper/contract/definition'
import { expect, test } from 'vitest'
import { commandLineOf, environmentVariables, valuesOf, workingDirectoryOf } from './launch.ts'

const place = { id: '0a0a0a0a', rootDir: '/data/servers/0a0a0a0a', path: '/usr/bin', user: 'games' }

const valuesFor = (data: object) => valuesOf(Definition.parse({ type: 'x', data }), place)

test.each([
  ['nothing', undefined, ''],
  ['a folder below', 'bin/linux', 'bin/linux'],
  ['the folder of the server by its name', '${rootDir}', ''],
  ['a folder below it by its name', '${rootDir}/bin', '/bin'],
  ['a folder that begins with its name', '${rootDir}2', '/data/servers/0a0a0a0a2'],
  ['a variable', '${where}', 'there'],
])('a working directory of %s', (_, workingDirectory, expected) => {
  const values = valuesFor({ where: { value: 'there' } })

  expect(workingDirectoryOf(Run.parse({ workingDirectory }), values)).toBe(expected)
})

test('every variable has a text, and a server cannot rename itself', () => {
  const values = valuesFor({
    a: { value: 1_000_000 },
    b: { value: true },
    c: {},
    d: { value: null },
    serverId: { value: 'x' },
  })

  expect(Object.fromEntries(values)).toEqual({
    a: '1000000',
    b: 'true',
    c: '',
    d: '',
    serverId: '0a0a0a0a',
    rootDir: '/data/servers/0a0a0a0a',
  })
})

test('the older form of a command works, and an empty value stays an argument', () => {
  const definition = Definition.parse({
    type: 'x',
    run: { program: 'game', arguments: ['-name', '${name}'] },
    data: { name: {} },
  })

  expect(commandLineOf(definition, valuesOf(definition, place))).toEqual({
    file: 'game',
    args: ['-name', ''],
    shown: 'game -name ',
  })
})

test('the environment holds what is declared and what every process needs, nothing of our own', () => {
  const run = Run.parse({ environmentVars: { PORT: '${port}', HOME: '/elsewhere', NONE: null } })

  expect(environmentVariables(run, new Map([['port', '1']]), place)).toEqual({
    PATH: '/usr/bin',
    HOME: '/elsewhere',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    USER: 'games',
    LOGNAME: 'games',
    PORT: '1',
    NONE: '',
  })
})
