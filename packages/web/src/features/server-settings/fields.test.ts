import type { Variable } from '@innkeeper/contract/definitions/variables'
import { expect, test } from 'vitest'
import { createI18n, type TFunction } from '../../i18n/i18n.tsx'
import { getFields, getSavedValues, mergeValues, toVariableValues } from './fields.ts'

const i18n = await createI18n('de_DE')
const t: TFunction = (key, values = {}) => i18n.t(key, values)

const variables: Record<string, Variable> = {
  jar: { type: 'string', value: 'server.jar', internal: true },
  port: { type: 'integer', value: '25565', display: 'Port', required: true, userEdit: true },
  memory: { type: 'integer', value: 1024, userEdit: false },
  eula: { type: 'boolean', value: 'false', userEdit: true },
  pvp: { type: 'boolean', value: true, userEdit: true },
  mode: { type: 'option', value: 1, userEdit: true, options: [{ value: 1 }, { value: 2, display: 'Hard' }] },
}

test('users see the variables they can edit, administrators all of them', () => {
  expect(getFields(t, variables, false).map(({ name }) => name)).toEqual(['port', 'eula', 'pvp', 'mode'])
  expect(getFields(t, variables, true).map(({ name }) => name)).toEqual([
    'port',
    'eula',
    'pvp',
    'mode',
    'jar',
    'memory',
  ])
})

test('users see a variable that the template shows them, and cannot change it', () => {
  const shown = { slots: { userView: true }, account: { userView: true, internal: true } }

  const ofUser = getFields(t, shown, false)
  const ofAdmin = getFields(t, shown, true)

  expect(ofUser.map(({ name, isReadOnly }) => [name, isReadOnly])).toEqual([['slots', true]])
  expect(ofAdmin.map(({ name, isReadOnly }) => [name, isReadOnly])).toEqual([
    ['slots', false],
    ['account', false],
  ])
})

test('a boolean has the texts of its variable', () => {
  const fields = getFields(t, { query: { type: 'boolean', trueValue: '1', falseValue: '0', value: 'True' } }, true)

  expect(getSavedValues(fields)).toEqual({ query: '1' })
  expect(toVariableValues(fields, { query: '0' })).toEqual({ query: { value: '0' } })
})

test('a field without a display name is labeled with the name of its variable', () => {
  expect(getFields(t, variables, false).map(({ label }) => label)).toEqual(['Port', 'eula', 'pvp', 'mode'])
  expect(getFields(t, { slots: { value: 8, display: 'Max players' } }, true)[0]?.label).toBe('Max. Spieler')
})

test('booleans are normalized to two texts, however the definition writes them', () => {
  const unusual = { eula: { type: 'boolean', value: 'False' }, pvp: { type: 'boolean', value: true } } as const

  expect(getSavedValues(getFields(t, unusual, true))).toEqual({ eula: 'false', pvp: 'true' })
  expect(getSavedValues(getFields(t, variables, false))).toEqual({
    port: '25565',
    eula: 'false',
    pvp: 'true',
    mode: '1',
  })
})

test('values are sent with the JSON type of the definition', () => {
  const fields = getFields(t, variables, true)

  const sent = toVariableValues(fields, { port: '25566', memory: '2048', eula: 'true', pvp: 'false', mode: '2' })

  expect(sent).toEqual({
    port: { value: '25566' },
    memory: { value: 2048 },
    eula: { value: 'true' },
    pvp: { value: false },
    mode: { value: 2 },
  })
})

test('conditions see the draft in place of saved values', () => {
  expect([...mergeValues(variables, { memory: '2', mode: '' })]).toEqual([
    ['jar', 'server.jar'],
    ['port', '25565'],
    ['memory', '2'],
    ['eula', 'false'],
    ['pvp', 'true'],
    ['mode', ''],
  ])
})
