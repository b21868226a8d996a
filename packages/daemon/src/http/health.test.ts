import { expect } from 'vitest'
import { getRunFolder, RunFolder } from '../keeper/protocol.ts'
import { readStates } from '../keeper/state-file.ts'
import { sendSignal } from '../proc/process-stat.ts'
import { test } from '../testing/node-test.ts'

test('health checks need no ticket and only get a status', async ({ node }) => {
  const look = (path: string) => node.client.ask('GET', path, { authorization: '' })

  const [alive, ready] = [await look('/healthz'), await look('/readyz')]
  using folder = new RunFolder(getRunFolder(node.dataDir))
  const [state] = await readStates(folder, () => {})
  if (!state) throw new Error('no keeper')
  sendSignal(state.keeper, 'SIGKILL')
  await expect.poll(async () => (await look('/readyz')).status).toBe(503)

  expect([alive, ready]).toMatchObject([
    { status: 200, body: '' },
    { status: 200, body: '' },
  ])
  expect((await look('/healthz')).status).toBe(200)
  await expect.poll(async () => (await look('/readyz')).status, { timeout: 10_000 }).toBe(200)
})
