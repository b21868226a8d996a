import { ServerDefinition } from '@innkeeper/contract/definition'
import { expect, test } from 'vitest'
import { limitsOf, withLimits } from './limits.ts'

const definition = ServerDefinition.parse({
  type: 'game',
  environment: { type: 'tty', limits: { memory: '512', disk: 100, odd: 'kept' } },
})

test('a form shows what is limited, and empty fields for what is not', () => {
  expect(limitsOf(definition)).toEqual({ memory: 512, cpu: '', processes: '' })
  expect(limitsOf(ServerDefinition.parse({ type: 'game' }))).toEqual({ memory: '', cpu: '', processes: '' })
})

test('what the form limits is in the definition, and what it does not show stays', () => {
  const changed = withLimits(definition, { memory: '', cpu: 150, processes: '' })

  expect(JSON.parse(JSON.stringify(changed.environment))).toEqual({
    type: 'tty',
    limits: { cpu: 150, disk: 100, odd: 'kept' },
  })
})

test('a definition without an environment gets the one that it runs in', () => {
  const changed = withLimits(ServerDefinition.parse({ type: 'game', supportedEnvironments: [{ type: 'host' }] }), {
    memory: 64,
    cpu: '',
    processes: '',
  })

  expect(changed.environment).toMatchObject({ type: 'host', limits: { memory: 64 } })
})
