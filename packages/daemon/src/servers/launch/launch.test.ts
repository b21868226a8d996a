import { Definition, Run } from '@innkeeper/contract/definitions/definition'
import { expect, test } from 'vitest'
import {
  conditionContext,
  environmentVariables,
  getWorkingDirectory,
  readCommandLine,
  templateVariables,
} from './launch.ts'

const location = { id: '0a0a0a0a', rootDir: '/data/servers/0a0a0a0a', path: '/usr/bin', user: 'games' }

const valuesFor = (data: object) => templateVariables(Definition.parse({ type: 'x', data }), location)

test.each([
  ['nothing', undefined, ''],
  ['a folder below', 'bin/linux', 'bin/linux'],
  ['the folder of the server by its name', '${rootDir}', ''],
  ['a folder below it by its name', '${rootDir}/bin', '/bin'],
  ['a folder that begins with its name', '${rootDir}2', '/data/servers/0a0a0a0a2'],
  ['a variable', '${where}', 'there'],
])('a working directory of %s', (_, workingDirectory, expected) => {
  const values = valuesFor({ where: { value: 'there' } })

  expect(getWorkingDirectory(Run.parse({ workingDirectory }), values)).toBe(expected)
})

test('every variable is substituted as text, and none can override the id of the server', () => {
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
    'core:os': 'linux',
    'core:arch': expect.stringMatching(/^(amd64|arm64)$/),
    'core:timezone': expect.any(String),
  })
})

test('the older form of a command works, and an empty value stays an argument', async () => {
  const definition = Definition.parse({
    type: 'x',
    run: { program: 'game', arguments: ['-name', '${name}'] },
    data: { name: {} },
  })

  expect(await readCommandLine(definition, { values: templateVariables(definition, location) })).toEqual({
    file: 'game',
    args: ['-name', ''],
    shown: 'game -name ',
    chosen: [],
  })
})

test('of several commands the first one whose condition holds runs, otherwise the first without a condition', async () => {
  const definition = Definition.parse({
    type: 'x',
    run: {
      command: [
        { command: 'java -jar server.jar' },
        { if: "env == 'docker'", command: 'java contained' },
        { if: 'file_exists("unix_args.txt")', command: 'java @unix_args.txt ${memory}' },
      ],
    },
    data: { memory: { value: 1024 } },
  })
  const shown = async (fileExists: () => boolean, definedAs = definition) => {
    const values = templateVariables(definedAs, location)
    return (await readCommandLine(definedAs, { ...conditionContext(definedAs, location), values, fileExists })).shown
  }

  expect(await shown(() => true)).toBe('java @unix_args.txt 1024')
  expect(await shown(() => false)).toBe('java -jar server.jar')
  expect(await shown(() => true, { ...definition, environment: { type: 'docker' } })).toBe('java contained')
})

test('no command runs when no condition holds', async () => {
  const run = { command: [{ if: "env == 'docker'", command: 'java' }] }
  const definition = Definition.parse({ type: 'x', run })

  await expect(
    readCommandLine(definition, { ...conditionContext(definition, location), values: new Map() }),
  ).rejects.toMatchObject({ code: 'ErrFieldRequired', metadata: { field: 'run.command' } })
})

test('the environment has the declared variables and the standard ones, and nothing of the daemon', () => {
  const environmentVars = { PORT: '${port}', HOME: '/elsewhere', NONE: null }
  const definition = Definition.parse({ type: 'x', run: { environmentVars } })

  const variables = environmentVariables(definition, new Map([['port', '1']]), { ...location, hasTerminal: true })
  expect(variables).toEqual({
    PATH: '/usr/bin',
    HOME: '/elsewhere',
    TERM: 'xterm-256color',
    LANG: 'C.UTF-8',
    USER: 'games',
    LOGNAME: 'games',
    PORT: '1',
    NONE: '',
  })
  // A program on pipes must not think that it can draw.
  expect(environmentVariables(definition, new Map(), location)).not.toHaveProperty('TERM')
})
