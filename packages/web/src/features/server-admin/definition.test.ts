import { expect, test } from 'vitest'
import { formatDefinition, formOf, parseDefinition, type Raw, withEnvironment, withForm } from './definition.ts'

const definition = parseDefinition(
  JSON.stringify({
    id: 'deadbeef',
    type: 'minecraft-java',
    run: {
      program: 'java',
      arguments: ['-jar', 'server.jar'],
      stop: 'stop',
      environmentVars: { TZ: 'UTC' },
      unknown: { kept: true },
    },
    environment: { type: 'standard', extra: 1 },
    supportedEnvironments: [{ type: 'docker', image: 'java:21' }],
    somethingElse: [1, 2],
  }),
) as Raw

test('a form that was only opened changes nothing', () => {
  expect(formatDefinition(withForm(definition, formOf(definition)))).toBe(formatDefinition(definition))
})

test('the older program and arguments are shown as one command, and replaced when it is edited', () => {
  const changed = withForm(definition, { ...formOf(definition), command: 'java -Xmx1G -jar server.jar' })

  expect(formOf(definition).command).toBe('java -jar server.jar')
  expect(changed.run.command).toBe('java -Xmx1G -jar server.jar')
  expect(changed.run).not.toHaveProperty('program')
})

test('what the form does not know stays', () => {
  const changed = withForm(definition, { ...formOf(definition), stopBy: 'signal', signal: '2' })

  expect(changed).toMatchObject({ somethingElse: [1, 2], environment: { extra: 1 } })
  expect(changed.run).toMatchObject({ unknown: { kept: true }, stopCode: 2, stop: 'stop' })
})

test('stopping by command again takes the signal away', () => {
  const bySignal = withForm(definition, { ...formOf(definition), stopBy: 'signal', signal: '15' })

  expect(withForm(bySignal, { ...formOf(bySignal), stopBy: 'command' }).run.stopCode).toBe(0)
})

test('blank rows and names with a meaning of their own are left out', () => {
  const variables = [
    { key: 1, name: ' LANG ', value: 'C' },
    { key: 2, name: '', value: 'x' },
    { key: 3, name: '__proto__', value: 'x' },
  ]

  expect(withForm(definition, { ...formOf(definition), variables }).run.environmentVars).toEqual({ LANG: 'C' })
})

test('another environment is taken as the definition offers it', () => {
  const changed = withForm(definition, { ...formOf(definition), environment: 'docker' })

  expect(changed.environment).toEqual({ type: 'docker', image: 'java:21' })
  const form = { ...formOf(definition), ...withEnvironment(definition, 'docker') }
  expect(withForm(definition, form).environment).toEqual({ type: 'docker', image: 'java:21' })
  const docker = form.docker && { ...form.docker, image: 'java:22' }
  expect(withForm(definition, { ...form, docker }).environment).toEqual({ type: 'docker', image: 'java:22' })
})

test('several commands with conditions are left to JSON', () => {
  const several = { ...definition, run: { ...definition.run, command: [{ if: 'x', command: 'a' }, { command: 'b' }] } }

  expect(formOf(several).command).toBeUndefined()
  expect(withForm(several, formOf(several)).run.command).toEqual(several.run.command)
})

test.each(['{', '[]', '{"type": 1}', '"text"'])('%s is no definition', (text) => {
  expect(parseDefinition(text)).toBeUndefined()
})
