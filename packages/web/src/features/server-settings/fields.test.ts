import type { Variable } from '@innkeeper/contract/variables'
import { expect, test } from 'vitest'
import { fieldsOf, savedIn, valuesNow, valuesToSend } from './fields.ts'

const variables: Record<string, Variable> = {
  jar: { type: 'string', value: 'server.jar', internal: true },
  port: { type: 'integer', value: '25565', display: 'Port', required: true, userEdit: true },
  memory: { type: 'integer', value: 1024, userEdit: false },
  eula: { type: 'boolean', value: 'false', userEdit: true },
  pvp: { type: 'boolean', value: true, userEdit: true },
  mode: { type: 'option', value: 1, userEdit: true, options: [{ value: 1 }, { value: 2, display: 'Hard' }] },
}

test('people see what they may edit, administrators all but what is internal', () => {
  expect(fieldsOf(variables, false).map(({ name }) => name)).toEqual(['port', 'eula', 'pvp', 'mode'])
  expect(fieldsOf(variables, true).map(({ name }) => name)).toEqual(['port', 'eula', 'pvp', 'mode', 'memory'])
})

test('a field without a display name is called by its variable', () => {
  expect(fieldsOf(variables, false).map(({ label }) => label)).toEqual(['Port', 'eula', 'pvp', 'mode'])
})

test('a switch has one of two texts, however the definition writes it', () => {
  const odd = { eula: { type: 'boolean', value: 'False' }, pvp: { type: 'boolean', value: true } } as const

  expect(savedIn(fieldsOf(odd, true))).toEqual({ eula: 'false', pvp: 'true' })
  expect(savedIn(fieldsOf(variables, false))).toEqual({ port: '25565', eula: 'false', pvp: 'true', mode: '1' })
})

test('values are sent in the form the definition had them in', () => {
  const fields = fieldsOf(variables, true)

  const sent = valuesToSend(fields, { port: '25566', memory: '2048', eula: 'true', pvp: 'false', mode: '2' })

  expect(sent).toEqual({
    port: { value: '25566' },
    memory: { value: 2048 },
    eula: { value: 'true' },
    pvp: { value: false },
    mode: { value: 2 },
  })
})

test('conditions see every value as it is typed now', () => {
  expect([...valuesNow(variables, { memory: '2', mode: '' })]).toEqual([
    ['jar', 'server.jar'],
    ['port', '25565'],
    ['memory', '2'],
    ['eula', 'false'],
    ['pvp', 'true'],
    ['mode', ''],
  ])
})
