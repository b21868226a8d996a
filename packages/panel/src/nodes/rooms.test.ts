import { expect, test } from 'vitest'
import { getRoom } from './rooms.ts'

const machine = {
  startedAt: '2026-01-01T00:00:00.000Z',
  cpu: { cores: 2, used: 10 },
  memory: { total: 1000, used: 300 },
  disk: { total: 2000, used: 500 },
}
const factors = { memoryFactor: 1, diskFactor: 1 }

test('limits count whole, everything else counts with what it uses', () => {
  const servers = [
    // It uses 100 of 400.
    { id: 'limited', memoryMax: 400, stats: { cpu: 0, memory: 100 }, disk: { limitBytes: 800, usedBytes: 300 } },
    { id: 'offline', memoryMax: 50 },
    // Without a limit a node reports its whole memory.
    { id: 'unlimited', memoryMax: 1000, stats: { cpu: 0, memory: 150 } },
  ]

  expect(getRoom({ machine, servers }, factors, [])).toEqual({
    memory: { total: 1000, free: 1000 - 400 - 50 - 200 },
    disk: { total: 2000, free: 2000 - 800 - 200 },
  })
  expect(getRoom({ machine, servers }, { memoryFactor: 1.5, diskFactor: 0.5 }, [])).toEqual({
    memory: { total: 1500, free: 850 },
    disk: { total: 1000, free: 0 },
  })
})

test('a reservation counts until the node has reported its server', () => {
  const reserved = { memory: 200, disk: 100 }
  const free = (servers: { id: string; memoryMax: number }[]) =>
    getRoom({ machine, servers }, factors, [
      { ...reserved, server_id: null },
      { ...reserved, server_id: 'new' },
    ]).memory.free

  expect(free([])).toBe(1000 - 300 - 400)
  expect(free([{ id: 'new', memoryMax: 200 }])).toBe(1000 - 300 - 200 - 200)
})
