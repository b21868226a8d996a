import { expect } from 'vitest'
import { nameColumns } from '../database/server-name.ts'
import { test } from '../testing/databases.ts'
import { dueDeliveries } from './deliveries.ts'

const channel = {
  name: 'on call',
  type: 'webhook',
  target: 'https://example.com',
  secret: '',
  language: 'en_US',
  rules: '{}',
  is_enabled: 1,
  created_at: 0,
}
const delivery = {
  alert_id: 'alert',
  type: 'crashed',
  is_resolved: 0,
  content: '{}',
  state: 'waiting',
  tries: 0,
  created_at: 0,
  ended_at: null,
  lease: '',
  answer: '',
  is_by_node: 0,
}

test('the deliveries of a server do not wait behind all of another one', async ({ db }) => {
  for (const id of ['0a0a0a0a', '0b0b0b0b', '0c0c0c0c'])
    await db
      .insertInto('servers')
      .values({ id, ...nameColumns(id), node_id: 0, ip: '', port: 0, type: 'x', created_at: 0 })
      .execute()
  for (const server of ['0a0a0a0a', '0b0b0b0b', '0c0c0c0c', null])
    await db
      .insertInto('alert_channels')
      .values({ ...channel, id: `of ${server}`, server_id: server })
      .execute()
  const add = async (server: string | null, count: number, at: number) => {
    for (let number = 0; number < count; number++)
      await db
        .insertInto('alert_deliveries')
        .values({ ...delivery, id: `${server} ${number}`, channel_id: `of ${server}`, next_at: at + number })
        .execute()
  }
  await add('0a0a0a0a', 30, 0)
  await add('0b0b0b0b', 2, 100)
  await add('0c0c0c0c', 1, 200)
  await add(null, 1, 300)

  const due = await dueDeliveries(db, 1_000)

  const ids = due.map(({ id }) => id)
  expect(ids).toHaveLength(10)
  expect(ids.slice(0, 5)).toEqual(['0a0a0a0a 0', '0b0b0b0b 0', '0c0c0c0c 0', 'null 0', '0a0a0a0a 1'])
  expect(ids).toContain('0b0b0b0b 1')
})
