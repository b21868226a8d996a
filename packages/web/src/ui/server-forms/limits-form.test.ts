import { Environment } from '@innkeeper/contract/definitions/definition'
import { expect, test } from 'vitest'
import { applyLimitsForm, noLimits, toLimitsForm } from './limits-form.ts'

const environment = Environment.parse({ type: 'tty', limits: { memory: '512', disk: 100, odd: 'kept' } })

test('a limit that is not set is an empty field', () => {
  expect(toLimitsForm(environment)).toEqual({ memory: 512, cpu: '', processes: '', disk: 100 })
  expect(toLimitsForm({ type: 'tty' })).toEqual(noLimits)
})

test('a limit that is a variable stays one', () => {
  const limited = Environment.parse({ type: 'docker', limits: { memory: ' ${memory} ' } })

  expect(toLimitsForm(limited).memory).toBe('${memory}')
  expect(applyLimitsForm(limited, { ...toLimitsForm(limited), cpu: 50 }).limits).toEqual({
    memory: '${memory}',
    cpu: 50,
  })
})

test('limits of the form are set in the environment, and others are kept', () => {
  const changed = applyLimitsForm(environment, { memory: '', cpu: 150, processes: '', disk: 200 })

  expect(changed).toEqual({ type: 'tty', limits: { cpu: 150, disk: 200, odd: 'kept' } })
})

test('without limits the environment has none', () => {
  expect(applyLimitsForm({ type: 'tty', limits: { memory: 512 } as never }, noLimits)).toEqual({ type: 'tty' })
})
