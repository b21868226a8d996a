import { getConsole, getStatus, sendCommand, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { program } from '../testing/daemon.ts'
import { test } from '../testing/node-test.ts'

const id = '0e0e0e0e'
const params = { id }
/** `测试就绪` and a line break in GBK. */
const greeting = 'b2e2cad4becdd0f70a'

test.for(['standard', 'tty'])(
  'a console in GBK is read, written to, matched and stopped: %s',
  async (type, { node: { client } }) => {
    const run = { command: program('legacy-console', greeting), stop: '停', encoding: 'gbk', readyPattern: '就绪$' }
    await client.create(id, run, { environment: { type } })
    const text = async () => (await client.send(getConsole, { params, query: { time: 0 } })).body.logs as string
    const until = (part: string) => vi.waitFor(async () => expect(await text()).toContain(part), { timeout: 20_000 })

    await client.send(startServer, { params, query: { wait: true } })
    await vi.waitFor(
      async () =>
        expect((await client.send(getStatus, { params })).body).toMatchObject({ running: true, state: 'online' }),
      { timeout: 20_000 },
    )
    await until('测试就绪')
    await client.send(sendCommand, { params, body: '说 你好' })
    await until('read cbb520c4e3bac3')
    await client.send(stopServer, { params, query: { wait: true } })

    expect((await client.send(getStatus, { params })).body.running).toBe(false)
    expect(await text()).not.toContain('\ufffd')
  },
)

test('a character that was printed in part before a restart of the daemon is shown in full after it', async ({
  node,
}) => {
  const { client } = node
  const run = { command: program('legacy-console', greeting), stop: '停', encoding: 'gbk' }
  await client.create(id, run, { environment: { type: 'standard' } })
  const text = async () => (await client.send(getConsole, { params, query: { time: 0 } })).body.logs as string
  const until = (part: string) => vi.waitFor(async () => expect(await text()).toContain(part), { timeout: 20_000 })
  await client.send(startServer, { params, query: { wait: true } })
  await client.send(sendCommand, { params, body: 'print 61b2' })
  await until('就绪\na')

  await node.detach()
  await node.start()
  await client.send(sendCommand, { params, body: 'print e20a' })

  await until('continued to run\n测\n')
  await client.send(stopServer, { params, query: { wait: true } })
  expect(await text()).not.toContain('\ufffd')
})
