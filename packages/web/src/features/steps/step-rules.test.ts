import { type Step, stepFields, stepTypes } from '@innkeeper/contract/operations'
import { describe, expect, test } from 'vitest'
import { fieldsOfType } from './step-fields.ts'
import { linesIn, newStep, othersOf, problemsOfSteps, summaryOf, withoutBlanks, withText } from './step-rules.ts'

test('the form has every field of every step, and no other', () => {
  const shown = Object.fromEntries(
    stepTypes.map((type) => [
      type,
      fieldsOfType(type)
        .map(({ name }) => name)
        .sort(),
    ]),
  )
  const known = Object.fromEntries(stepTypes.map((type) => [type, Object.keys(stepFields[type].shape).sort()]))

  expect(shown).toEqual(known)
})

test('a new step that only needs filling in has nothing but its type and its beginning', () => {
  expect(newStep('alterfile')).toEqual({ type: 'alterfile', regex: true })
  expect(newStep('download')).toEqual({ type: 'download', files: [] })
  expect(newStep('mojangdl')).toEqual({ type: 'mojangdl' })
})

describe('a field', () => {
  const [files] = fieldsOfType('download')
  const [commands] = fieldsOfType('command')
  const [version] = fieldsOfType('javadl')

  test('that is one text is a list to the form', () => {
    expect(files && linesIn({ type: 'download', files: 'https://a.example https://b.example' }, files)).toHaveLength(2)
    expect(commands && linesIn({ type: 'command', commands: 'sh start.sh' }, commands)).toEqual(['sh start.sh'])
    expect(commands && linesIn({ type: 'command' }, commands)).toEqual([])
  })

  test('that was a number stays one while it is a number', () => {
    const step: Step = { type: 'javadl', version: 17 }

    expect(version && withText(step, version, '21')).toEqual({ type: 'javadl', version: 21 })
    expect(version && withText(step, version, '${java}')).toEqual({ type: 'javadl', version: '${java}' })
    expect(version && withText({ type: 'javadl', version: '17' }, version, '21').version).toBe('21')
  })

  test('that may be missing is left out when it is emptied', () => {
    const [version = { name: '', as: 'text' }] = fieldsOfType('mojangdl')

    expect(withText({ type: 'mojangdl', version: 'x', target: 'y' }, version, '')).toEqual({
      type: 'mojangdl',
      target: 'y',
    })
  })
})

test('what no field shows is told apart, also of a type that nobody knows', () => {
  expect(othersOf({ type: 'writefile', target: 'a', metadata: { a: 1 }, if: 'x' })).toEqual({ metadata: { a: 1 } })
  expect(othersOf({ type: 'teleport', to: 'moon', if: ['odd'] })).toEqual({ to: 'moon', if: ['odd'] })
})

test('missing and wrong fields are told, variables are not judged', () => {
  const steps: Step[] = [
    { type: 'download', files: ['  '] },
    { type: 'javadl', version: 'newest' },
    { type: 'javadl', version: '${javaversion}' },
    { type: 'teleport' },
    { type: 'command', commands: 'true' },
  ]

  expect([...problemsOfSteps(steps)]).toEqual([
    ['0.files', 'missing'],
    ['1.version', 'wrong'],
  ])
})

test('blank lines and steps in which nothing was said are left out, what was there before stays', () => {
  const there: Step = { type: 'download' }
  const steps: Step[] = [
    there,
    { type: 'command', commands: ['a', ''] },
    { type: 'mkdir', target: ' ' },
    { type: 'fabricdl' },
  ]

  expect(withoutBlanks(steps, (step) => step !== there)).toEqual([
    there,
    { type: 'command', commands: ['a'] },
    { type: 'fabricdl' },
  ])
})

test.each<[Step, string]>([
  [{ type: 'download', files: ['https://a.example/x', 'b', 'c'] }, 'https://a.example/x +2'],
  [{ type: 'move', source: '*.jar', target: 'server.jar' }, '*.jar → server.jar'],
  [{ type: 'steamgamedl', appId: 740, password: 'hidden' }, '740'],
  [{ type: 'writefile', target: 'eula.txt', text: 'eula=true\nmore' }, 'eula.txt → eula=true'],
])('%j is summed up', (step, summary) => {
  expect(summaryOf(step)).toBe(summary)
})
