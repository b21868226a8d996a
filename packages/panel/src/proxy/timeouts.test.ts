import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { getStatus, startServer } from '@innkeeper/contract/servers/node-servers'
import { getUsage } from '@innkeeper/contract/servers/servers'
import { expect } from 'vitest'
import { testWith } from '../testing/test-panel.ts'

const [nodeCallMs, nodeUsageMs] = [600, 200]
const test = testWith({ nodeCallMs, nodeUsageMs })

test('a node that accepts requests and does not respond costs the timeout, once per request', async ({ testPanel }) => {
  const [admin, id] = [await testPanel.admin(), await testPanel.server()]
  const answer = Promise.withResolvers<void>()
  testPanel.node.answer(panelEndpoints.getUsage, () => {})
  testPanel.node.answer(startServer, async (_request, response) => {
    await answer.promise
    response.writeHead(204).end()
  })

  const from = performance.now()
  const timed = async <T extends object>(promise: Promise<T>) => ({ ...(await promise), ms: performance.now() - from })
  const waiting = testPanel.send(startServer, { params: { id }, query: { wait: 'true' } }, admin)
  const [status, started, usage] = await Promise.all([
    timed(testPanel.send(getStatus, { params: { id } }, admin)),
    timed(testPanel.send(startServer, { params: { id }, query: {} }, admin)),
    timed(testPanel.send(getUsage, { query: { ids: id } }, admin)),
  ])

  for (const { refusal, ms } of [status, started]) {
    expect(refusal).toBe('ErrServiceNotAvailable')
    expect(ms).toBeGreaterThan(nodeCallMs - 50)
    expect(ms).toBeLessThan(nodeCallMs + 2_000)
  }
  expect(usage.answer).toEqual([{ id }])
  expect(usage.ms).toBeGreaterThan(nodeUsageMs - 50)
  expect(usage.ms).toBeLessThan(nodeUsageMs + 2_000)
  // A request that waits for a start has no timeout.
  answer.resolve()
  expect((await waiting).status).toBe(204)
})
