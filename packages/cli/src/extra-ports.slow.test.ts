import { putNodePorts } from '@innkeeper/contract/nodes/node-ports'
import * as calls from '@innkeeper/contract/servers/extra-ports'
import { createServer } from '@innkeeper/contract/servers/new-server'
import { getConsole, startServer } from '@innkeeper/contract/servers/node-servers'
import { expect, test, vi } from 'vitest'
import { TestInstallation } from './testing/test-installation.ts'

test('a node gives a server at most as many ports as it may have, and the program gets their numbers', {
  timeout: 120_000,
}, async () => {
  await using installation = await TestInstallation.start()
  const ranges = [{ address: '0.0.0.0', from: 43_100, to: 43_110 }]
  await installation.send(putNodePorts, { params: { id: 0 }, body: { ranges } })
  const run = { command: 'echo map=${extra_port_1} voice=${voiceport}', stop: 'stop' }
  const data = { port: { value: '43100' }, voiceport: { type: 'integer', value: '24454' } }
  const definition = { name: 'lobby', node: 0, type: 'test', run, data, environment: { type: 'standard' } }
  const { id } = await installation.send(createServer, { body: definition } as never)
  const params = { id }
  await installation.send(calls.putExtraPortLimit, { params, body: { limit: 3 } })

  const results = await Promise.allSettled(
    Array.from({ length: 5 }, (_, at) => installation.send(calls.takeExtraPort, { params, body: { note: `${at}` } })),
  )

  const taken = results.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(taken).toHaveLength(3)
  expect(new Set(taken.map(({ port }) => port)).size).toBe(3)
  const [first] = (await installation.send(calls.listExtraPorts, { params })).ports
  await installation.send(calls.editExtraPort, {
    params: { id, name: first?.name ?? '' },
    body: { variable: 'voiceport' },
  })
  const { ports } = await installation.send(calls.listExtraPorts, { params })
  expect(ports.map(({ port }) => port).sort()).toEqual(taken.map(({ port }) => port).sort())
  const bound = ports.find(({ variable }) => variable === 'voiceport')
  const map = ports.find(({ name }) => name === 'extra_port_1')
  await installation.send(startServer, { params, query: {} })
  await vi.waitFor(
    async () => {
      const { logs } = await installation.send(getConsole, { params, query: {} })
      expect(String(logs)).toContain(`map=${map?.port} voice=${bound?.port}`)
    },
    { timeout: 30_000, interval: 200 },
  )
})
