import { getPortVariables } from '@innkeeper/contract/definitions/port-variables'
import { expect, test } from 'vitest'
import { suggestPorts, toVariableValues } from './port-values.ts'

const data = { queryport: { value: '27016' }, ip: { value: '0.0.0.0' }, port: { value: 25_565 } }

test('free ports are filled in as far as there are some', () => {
  const variables = getPortVariables(data)

  expect(suggestPorts(variables, [{ port: 30_000 }])).toEqual({ port: '30000', queryport: '27016' })
})

test('numbers stay numbers', () => {
  expect(toVariableValues(data, { port: '30000', queryport: '30001' })).toEqual({
    port: { value: 30_000 },
    queryport: { value: '30001' },
  })
})
