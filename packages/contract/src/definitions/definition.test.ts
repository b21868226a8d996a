import { expect, test } from 'vitest'
import {
  Definition,
  Environment,
  findEnvironmentType,
  findReadyPattern,
  getCommand,
  getEnvironment,
  getEnvironments,
  getGroups,
  getLimits,
  Template,
} from './definition.ts'
import { stepFields } from './operations.ts'

test('a definition with typed values as text keeps them unchanged', () => {
  const read = Definition.parse({
    type: 'minecraft-java',
    data: { port: { type: 'integer', value: '25565', required: 'true' }, ip: { value: '0.0.0.0' }, empty: {} },
    run: { command: 'java -jar x.jar', stopCode: '2', autorecover: 'true', environmentVars: { A: 1 } },
    environment: { type: 'standard' },
  })

  expect(read.data.port).toEqual({ type: 'integer', value: '25565', required: true })
  expect(read.run).toMatchObject({ stopCode: 2, autorecover: true, environmentVars: { A: '1' } })
})

test('unknown fields survive a round trip', () => {
  const input = {
    type: 'srcds',
    icon: 'x',
    groups: [{ variables: ['a'], order: 1 }],
    data: { a: { value: 'b', hint: { deep: [1] } } },
    install: [{ type: 'writefile', target: 'a', text: '', metadata: {} }],
    run: { command: 'x', stdin: { type: 'rcon' } },
    environment: { type: 'docker', image: 'x:${v}', hostConfig: { a: 1 } },
  }

  expect(JSON.parse(JSON.stringify(Definition.parse(input)))).toEqual(input)
})

test('a definition without environment uses the standard one', () => {
  const bare = Definition.parse({ type: 'x' })
  const docker = Definition.parse({ type: 'x', supportedEnvironments: [{ type: 'docker' }, { type: 'tty' }] })

  expect(getEnvironment(bare)).toEqual({ type: 'standard' })
  expect(getEnvironments(docker).map((one) => one.type)).toEqual(['docker', 'tty'])
  expect(getEnvironment(docker)).toEqual({ type: 'docker' })
  expect(
    [{ type: 'host' }, { type: 'container' }, { type: 'vm' }, { type: 'constructor' }].map(findEnvironmentType),
  ).toEqual(['tty', 'docker', undefined, undefined])
})

test('groups are sorted, and an invalid one does not hide the others', () => {
  const groups = [
    { display: 'Last', variables: ['a'], order: '20', extra: true },
    { display: 7, variables: 'b', if: null },
    { display: 'No variables' },
    'nothing',
    { variables: ['c', 1] },
    { display: 'First', description: 'As <b>written</b>', variables: [], order: 'soon' },
  ]
  const read = Definition.parse({ type: 'x', groups })

  expect(getGroups(read).map(({ display, variables, order }) => [display, variables, order])).toEqual([
    ['7', ['b'], 0],
    ['First', [], 0],
    ['Last', ['a'], 20],
  ])
  expect(read.groups).toEqual(groups)
  expect([{}, { groups: null }, { groups: { a: 1 } }].map(getGroups)).toEqual([[], [], []])
})

test('the command comes from any of its three forms', () => {
  const forms = [
    { command: 'a b' },
    { program: 'a', arguments: ['b', 3] },
    { command: [{ if: 'os == "windows"', command: 'no' }, { command: 'a b' }] },
    {},
  ]

  expect(forms.map((run) => getCommand(Definition.parse({ type: 'x', run }).run))).toEqual(['a b', 'a b 3', 'a b', ''])
})

test('an invalid ready pattern is a problem, a missing one is not', () => {
  const withPattern = (readyPattern?: string | null) => Definition.parse({ type: 'x', run: { readyPattern } })

  expect([undefined, null, '', ' '].map((pattern) => findReadyPattern(withPattern(pattern).run))).toEqual(
    Array(4).fill(undefined),
  )
  expect(findReadyPattern(withPattern(' up').run)).toBe(' up')
})

test('a single text is accepted in place of a list', () => {
  expect(stepFields.command.parse({ commands: 'rm -rf x' }).commands).toEqual(['rm -rf x'])
  expect(stepFields.download.parse({ files: 'http://a/x  http://a/y' }).files).toEqual(['http://a/x', 'http://a/y'])
})

test.each([
  ['no type', { data: {} }],
  ['a step without a type', { type: 'x', install: [{ files: 'a' }] }],
  ['a list for the variables', { type: 'x', data: [] }],
  ['an object as a value', { type: 'x', data: { a: { value: {} } } }],
  ['a variable with a special name', { type: 'x', data: { constructor: { value: '1' } } }],
  ['a command that is a number', { type: 'x', run: { command: 1 } }],
])('a template with %s is refused', (_, input) => {
  expect(Template.safeParse(input).success).toBe(false)
})

test('a variable named __proto__ does not change a prototype', () => {
  const read = Definition.parse(JSON.parse('{"type":"x","data":{"__proto__":{"value":"1"}}}'))

  expect(Object.keys(read.data)).toEqual([])
  expect(Object.getPrototypeOf(read.data)).toBe(Object.prototype)
})

test('a limit can be a variable, and memory for a program that knows its limit is more than that', () => {
  const limits = { memory: '${memory}', cpu: '${cpu}', processes: 20, disk: '${gone}' }
  const environment = Environment.parse({ type: 'docker', limits })
  const limitsWith = (memory: string | number) =>
    getLimits(environment, { memory: { value: memory }, cpu: { value: '150' } })

  expect(environment.limits).toMatchObject(limits)
  expect(limitsWith('1024')).toEqual({ memory: 1178, cpu: 150, processes: 20 })
  expect([limitsWith(4096).memory, limitsWith(10_000).memory]).toEqual([4506, 10_500])
  expect([limitsWith(0).memory, limitsWith('much').memory]).toEqual([undefined, undefined])
})
