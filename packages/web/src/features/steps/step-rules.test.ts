import { type Step, stepFields, stepTypes } from '@innkeeper/contract/definitions/operations'
import { describe, expect, test } from 'vitest'
import { getFieldsOfType } from './step-fields.ts'
import {
  getLines,
  getOtherFields,
  hasErrorSwitch,
  newStep,
  removeBlankSteps,
  setContinueOnError,
  setText,
  summarize,
  validateSteps,
} from './step-rules.ts'

test('the form has exactly the fields of every step type', () => {
  const shown = Object.fromEntries(
    stepTypes.map((type) => [
      type,
      getFieldsOfType(type)
        .map(({ name }) => name)
        .sort(),
    ]),
  )
  const known = Object.fromEntries(stepTypes.map((type) => [type, Object.keys(stepFields[type].shape).sort()]))

  expect(shown).toEqual(known)
})

test('a new step has its type and its default fields', () => {
  expect(newStep('alterfile')).toEqual({ type: 'alterfile', regex: true })
  expect(newStep('download')).toEqual({ type: 'download', files: [] })
  expect(newStep('mojangdl')).toEqual({ type: 'mojangdl' })
})

describe('a field', () => {
  const [files] = getFieldsOfType('download')
  const [commands] = getFieldsOfType('command')
  const [version] = getFieldsOfType('javadl')

  test('of type list accepts a single text', () => {
    expect(files && getLines({ type: 'download', files: 'https://a.example https://b.example' }, files)).toHaveLength(2)
    expect(commands && getLines({ type: 'command', commands: 'sh start.sh' }, commands)).toEqual(['sh start.sh'])
    expect(commands && getLines({ type: 'command' }, commands)).toEqual([])
  })

  test('keeps a number while the text is one', () => {
    const step: Step = { type: 'javadl', version: 17 }

    expect(version && setText(step, version, '21')).toEqual({ type: 'javadl', version: 21 })
    expect(version && setText(step, version, '${java}')).toEqual({ type: 'javadl', version: '${java}' })
    expect(version && setText({ type: 'javadl', version: '17' }, version, '21').version).toBe('21')
  })

  test('that is optional is removed when it is empty', () => {
    const [version = { name: '', input: 'text' }] = getFieldsOfType('mojangdl')

    expect(setText({ type: 'mojangdl', version: 'x', target: 'y' }, version, '')).toEqual({
      type: 'mojangdl',
      target: 'y',
    })
  })
})

test('fields that the form does not show are separated, also for an unknown type', () => {
  expect(getOtherFields({ type: 'writefile', target: 'a', metadata: { a: 1 }, if: 'x' })).toEqual({
    metadata: { a: 1 },
  })
  expect(getOtherFields({ type: 'teleport', to: 'moon', if: ['odd'] })).toEqual({ to: 'moon', if: ['odd'] })
})

test('missing and invalid fields are errors, values with variables are not checked', () => {
  const steps: Step[] = [
    { type: 'download', files: ['  '] },
    { type: 'javadl', version: 'newest' },
    { type: 'javadl', version: '${javaversion}' },
    { type: 'teleport' },
    { type: 'command', commands: 'true' },
  ]

  expect([...validateSteps(steps)]).toEqual([
    ['0.files', 'missing'],
    ['1.version', 'wrong'],
  ])
})

test('blank lines and blank steps are removed, except those that were saved before', () => {
  const saved: Step = { type: 'download' }
  const steps: Step[] = [
    saved,
    { type: 'command', commands: ['a', ''] },
    { type: 'mkdir', target: ' ' },
    { type: 'fabricdl' },
  ]

  expect(removeBlankSteps(steps, (step) => step !== saved)).toEqual([
    saved,
    { type: 'command', commands: ['a'] },
    { type: 'fabricdl' },
  ])
})

test.each<[Step, string]>([
  [{ type: 'download', files: ['https://a.example/x', 'b', 'c'] }, 'https://a.example/x +2'],
  [{ type: 'move', source: '*.jar', target: 'server.jar' }, '*.jar → server.jar'],
  [{ type: 'steamgamedl', appId: 740, password: 'hidden' }, '740'],
  [{ type: 'writefile', target: 'eula.txt', text: 'eula=true\nmore' }, 'eula.txt: eula=true'],
  [
    {
      type: 'editconfig',
      file: 'server.properties',
      format: 'properties',
      changes: [
        { path: 'server-port', value: 1 },
        { path: 'motd', value: 'a', when: 'b' },
        { path: 'motd', value: 'c' },
      ],
    },
    'server.properties: server-port +1',
  ],
  [{ type: 'editconfig', file: 'server.properties', format: 'properties', changes: [] }, 'server.properties'],
  [{ type: 'alterfile', file: 'a.cfg', search: 'x', replace: 'y' }, 'a.cfg: x'],
  [{ type: 'paperdl', project: 'folia', minecraftVersion: '1.21' }, 'folia, 1.21'],
])('summarizes %j', (step, summary) => {
  expect(summarize(step)).toBe(summary)
})

test('whether a list goes on after a failure is a switch, and other values are shown as they are', () => {
  const step = { type: 'backup', name: 'Night' }

  const switched = setContinueOnError(step, true)

  expect(switched).toEqual({ ...step, continueOnError: true })
  expect(setContinueOnError(switched, false)).toEqual(step)
  expect([hasErrorSwitch(switched), getOtherFields(switched)]).toEqual([true, {}])
  expect(getOtherFields({ ...step, continueOnError: 'maybe' })).toEqual({ continueOnError: 'maybe' })
})
