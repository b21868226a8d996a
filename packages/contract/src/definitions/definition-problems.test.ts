import { expect, test } from 'vitest'
import { Definition } from './definition.ts'
import { problemsOfDefinition, validateDefinition, warningsOfDefinition } from './definition-problems.ts'

test.each<[string, object]>([
  ['nothing but a type', {}],
  [
    'environments by all their names',
    { supportedEnvironments: ['standard', 'tty', 'host', 'docker', 'container'].map((type) => ({ type })) },
  ],
  ['names with hyphens, digits and capitals', { data: { 'server-name': {}, '2nd': {}, PORT: {} } }],
  ['no signal, the first and the last', { run: { stopCode: 64 } }],
  ['a signal as text', { run: { stopCode: '9' } }],
  ['an empty signal beside a text', { run: { stop: '/stop', stopCode: '' } }],
  ['an encoding', { run: { encoding: 'GBK' } }],
  ['an encoding by another name', { run: { encoding: ' Latin1' } }],
  ['the default encoding', { run: { encoding: 'UTF-8' } }],
  ['a ready pattern', { run: { readyPattern: 'Done \\(' } }],
  ['a long value', { data: { a: { value: 'x'.repeat(16_384) } } }],
])('a definition with %s has no problem', (_, part) => {
  expect(problemsOfDefinition(Definition.parse({ type: 'game', ...part }))).toEqual([])
})

test.each<[string, object, string, object]>([
  [
    'an unknown environment',
    { environment: { type: 'vm' } },
    'ErrUnknownEnvironment',
    { type: 'vm', field: 'environment.type' },
  ],
  [
    'an unknown environment on offer',
    { supportedEnvironments: [{ type: 'tty' }, { type: 'vm' }] },
    ...(['ErrUnknownEnvironment', { type: 'vm', field: 'supportedEnvironments.1.type' }] as const),
  ],
  [
    'an unknown step',
    { install: [{ type: 'mkdir', target: 'a' }, { type: 'fly' }] },
    'ErrMissingFactory',
    { type: 'fly', step: 2, field: 'install.1.type' },
  ],
  [
    'an unknown step before the run',
    { run: { pre: [{ type: 'constructor' }] } },
    'ErrMissingFactory',
    { field: 'run.pre.0.type' },
  ],
  [
    'a step for tasks alone',
    { uninstall: [{ type: 'power', action: 'stop' }] },
    'ErrFieldInvalid',
    { field: 'uninstall.0.type' },
  ],
  ['a blank in a name', { data: { 'the port': {} } }, 'ErrVariableName', { field: 'data.the port' }],
  ['a line break in a name', { data: { 'a\nb': {} } }, 'ErrVariableName', {}],
  ['a name that is empty', { data: { '': {} } }, 'ErrVariableName', { field: 'data.' }],
  [
    'a value too long',
    { data: { a: { value: 'ä'.repeat(8_193) } } },
    'ErrFieldTooLarge',
    { field: 'data.a', max: 16_384 },
  ],
  ['a signal too high', { run: { stopCode: 65 } }, 'ErrFieldNotBetween', { field: 'run.stopCode', min: 1, max: 64 }],
  ['an unknown encoding', { run: { encoding: 'klingon' } }, 'ErrFieldInvalid', { field: 'run.encoding' }],
  ['a signal below the first', { run: { stopCode: -1 } }, 'ErrFieldNotBetween', { field: 'run.stopCode' }],
  [
    'an image that cannot be',
    { environment: { type: 'docker', image: 'a b' } },
    'ErrFieldInvalid',
    { field: 'environment.image' },
  ],
  [
    'a mount that cannot be',
    { environment: { type: 'docker', bindings: { maps: '/maps' } } },
    ...(['ErrFieldInvalid', { field: 'environment.bindings' }] as const),
  ],
  [
    'a ready pattern that is none',
    { run: { readyPattern: 'Done (' } },
    'ErrFieldInvalid',
    { field: 'run.readyPattern', reason: expect.any(String) },
  ],
])('a definition with %s has a problem', (_, part, code, metadata) => {
  expect(validateDefinition(Definition.parse({ type: 'game', ...part }))).toMatchObject({ code, metadata })
})

test('all problems are listed; one of a default environment that is also offered is listed once', () => {
  const container = { type: 'docker', image: 'a b', networkMode: 'moon', portBindings: ['x'] }
  const definition = Definition.parse({
    type: 'game',
    data: { 'a b': { value: 'x' } },
    environment: container,
    supportedEnvironments: [container],
  })

  expect(problemsOfDefinition(definition).map(({ metadata }) => metadata.field)).toEqual([
    'data.a b',
    'supportedEnvironments.0.image',
    'supportedEnvironments.0.networkMode',
    'supportedEnvironments.0.portBindings',
  ])
})

test('a limit may be a variable that exists and that users of the server cannot change', () => {
  const problemsWith = (memory: string) =>
    problemsOfDefinition(
      Definition.parse({
        type: 'x',
        environment: { type: 'docker', limits: { memory } },
        data: { memory: { value: 1024 }, free: { value: 1, userEdit: true } },
      }),
    ).map(({ metadata }) => metadata.field)

  expect(problemsWith('${memory}')).toEqual([])
  expect([problemsWith('${free}'), problemsWith('${gone}')]).toEqual(
    Array.from({ length: 2 }, () => ['environment.limits.memory']),
  )
})

test('an import warns of a second environment of a type, which nobody can choose', () => {
  const supportedEnvironments = [{ type: 'docker' }, { type: 'tty' }, { type: 'container', image: 'b' }]
  const definition = Definition.parse({ type: 'x', supportedEnvironments })

  expect(warningsOfDefinition(definition).map(({ metadata }) => metadata.field)).toEqual([
    'supportedEnvironments.2.type',
  ])
  expect(validateDefinition(definition)).toBeUndefined()
})
