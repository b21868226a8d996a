import { expect, test } from 'vitest'
import { movedValues, portsOf } from './plan.ts'

test('variables with the same number are one port, and get the same new number', () => {
  const data = {
    port: { value: '25565' },
    voiceport: { value: 25_570 },
    extra_port_1: { display: 'Extra port', value: '25570' },
    extra_port_2: { display: 'Extra port', value: '25571' },
  }
  expect(portsOf({ data })).toEqual([25_565, 25_570, 25_571])

  const moved = [25_565, 25_580, 25_571].map((port) => ({ address: '', port }))
  expect(movedValues({ data }, moved)).toEqual({ voiceport: { value: 25_580 }, extra_port_1: { value: '25580' } })
})
