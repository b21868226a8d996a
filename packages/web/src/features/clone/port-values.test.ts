import { expect, test } from 'vitest'
import { getPortVariables, suggestPorts, toVariableValues } from './port-values.ts'

const data = {
  queryport: { value: '27016' },
  ip: { value: '0.0.0.0' },
  port: { value: 25_565 },
  transport: { value: 'udp' },
  portname: { value: 'a' },
}

test('the ports of a server are found by their names and values, the main one first', () => {
  expect(getPortVariables(data).map(({ name }) => name)).toEqual(['port', 'queryport'])
})

test('free ports are filled in as far as there are some', () => {
  const variables = getPortVariables(data)

  expect(suggestPorts(variables, [{ port: 30_000 }])).toEqual({ port: '30000', queryport: '27016' })
})

test('a free port brings its address, and numbers stay numbers', () => {
  const free = [{ address: '192.0.2.1', port: 30_000 }]

  expect(toVariableValues(data, { port: '30000', queryport: '30001' }, free)).toEqual({
    port: { value: 30_000 },
    queryport: { value: '30001' },
    ip: { value: '192.0.2.1' },
  })
  expect(toVariableValues(data, { port: '25566' }, free)).toEqual({ port: { value: 25_566 } })
})
