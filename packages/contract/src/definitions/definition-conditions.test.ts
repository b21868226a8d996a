import { expect, test } from 'vitest'
import { Definition } from './definition.ts'
import { invalidCondition, invalidStepCondition } from './definition-conditions.ts'

const step = (condition: unknown) => ({ type: 'sleep', duration: '1s', if: condition })

test.each([
  [{ install: [step("env == 'host'"), step('[1].all(x, true)')] }, 'install.1.if'],
  [{ uninstall: [step('env ==')] }, 'uninstall.0.if'],
  [{ run: { pre: [step('[1].all(x, true)')] } }, 'run.pre.0.if'],
  [{ run: { post: [step('[1].all(x, true)')] } }, 'run.post.0.if'],
  [{ run: { command: [{ command: 'a', if: '[1].all(x, true)' }] } }, 'run.command.0.if'],
  [{ groups: [{ variables: [], if: '[1].all(x, true)' }] }, 'groups.0.if'],
])('an invalid condition in %j is reported', (part, field) => {
  const invalid = invalidCondition(Definition.parse({ type: 'game', ...part }))

  expect(invalid).toMatchObject({ code: 'ErrFieldInvalid', metadata: { field } })
})

test('conditions may use the variables of the definition and those that its steps set', () => {
  const install = [
    { ...step("7days == 'yes'"), outputVariable: '8nights' },
    step("8nights != ''"),
    step(true),
    step(''),
  ]
  const definition = Definition.parse({ type: 'game', data: { '7days': { value: 'yes' } }, install })

  expect(invalidCondition(definition)).toBeUndefined()
  expect(invalidStepCondition(install, ['7days'], 'operations')).toBeUndefined()
  expect(invalidStepCondition(install, [], 'operations')?.metadata.field).toBe('operations.0.if')
})
