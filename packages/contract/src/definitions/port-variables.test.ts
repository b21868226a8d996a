import { expect, test } from 'vitest'
import { getPorts, getPortVariables } from './port-variables.ts'
import type { Variables } from './variables.ts'

const data: Variables = {
  queryport: { value: '27016' },
  ip: { value: '0.0.0.0' },
  port: { value: 25_565 },
  transport: { value: 'udp' },
  portname: { value: 'a' },
  QUERY: { value: '27017', display: 'Query Port' },
  OPEN: { type: 'boolean', value: '1', display: 'Open the port' },
  TEAM: { value: '1', display: 'Support' },
}

test('the ports of a server are found by their names or titles, and values, the main one first', () => {
  expect(getPortVariables(data).map(({ name }) => name)).toEqual(['port', 'queryport', 'QUERY'])
  expect(getPorts(data)).toEqual([25_565, 27_016, 27_017])
})
