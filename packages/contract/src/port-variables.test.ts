import { expect, test } from 'vitest'
import { getPortVariables, portsOf } from './port-variables.ts'

const data = {
  queryport: { value: '27016' },
  ip: { value: '0.0.0.0' },
  port: { value: 25_565 },
  transport: { value: 'udp' },
  portname: { value: 'a' },
}

test('the ports of a server are found by their names and values, the main one first', () => {
  expect(getPortVariables(data).map(({ name }) => name)).toEqual(['port', 'queryport'])
  expect(portsOf(data)).toEqual([25_565, 27_016])
})
