import { putFile } from '@innkeeper/contract/servers/files'
import { getStatus, startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import { expect, vi } from 'vitest'
import { TestNode } from '../testing/daemon.ts'
import { test } from '../testing/node-test.ts'

const id = '0a0a0a0a'
const params = { id }

/** Ends at once without a license, as Minecraft does. */
const command = `sh -c "grep -q true eula.txt || { echo You need to agree to the EULA in order to run the server; exit; }; cat"`

const readPrompt = async (node: TestNode) => (await node.client.send(getStatus, { params })).body.prompt

test('a server that wants its license accepted is asked about until its next start', async ({ node }) => {
  await node.client.create(id, { command, stopCode: 15 }, { prompts: [{ type: 'eula' }, { type: 'other' }] })
  const viewer = await node.client.watch(id)

  await node.client.send(startServer, { params })
  await viewer.until('the question', ({ received }) =>
    received.some((message) => 'type' in message && message.type === 'status' && message.data.prompt?.type === 'eula'),
  )
  await vi.waitFor(async () => expect((await node.client.send(getStatus, { params })).body.state).toBe('offline'), {
    timeout: 20_000,
  })
  const whenEnded = await readPrompt(node)
  await node.client.send(putFile, { params: { id, path: 'eula.txt' }, body: 'eula=true\n' })
  await node.client.send(startServer, { params, query: { wait: true } })
  const afterStart = await readPrompt(node)
  await node.client.send(stopServer, { params, query: { wait: true } })

  expect(whenEnded).toMatchObject({ type: 'eula' })
  expect(afterStart).toBeUndefined()
})

test('the question about Java names the choice of the image, and a definition may bring patterns of its own', async ({
  node,
}) => {
  const prompts = [{ type: 'javaVersion', patterns: ['^needs java \\d+$'], variable: 'image' }]
  await node.client.create(id, { command: 'sh -c "echo needs java 21; cat"', stopCode: 15 }, { prompts })

  await node.client.send(startServer, { params })

  const asked = { type: 'javaVersion', variable: 'image' }
  await vi.waitFor(async () => expect(await readPrompt(node)).toMatchObject(asked), { timeout: 20_000 })
})

test.for([
  ['runs', 'sh -c "echo needs java 21; cat"', 'online'],
  ['ended', 'echo needs java 21', 'offline'],
])('the question stays when the node restarts and the server %s', async ([, command, state]) => {
  await using node = await TestNode.start({ apart: true })
  const prompts = [{ type: 'javaVersion', patterns: ['^needs java \\d+$'] }]
  await node.client.create(id, { command, stopCode: 15 }, { prompts })
  await node.client.send(startServer, { params })
  const readState = async () => (await node.client.send(getStatus, { params })).body.state
  await vi.waitFor(async () => expect([await readPrompt(node), await readState()]).toMatchObject([{}, state]), {
    timeout: 20_000,
  })
  const before = await readPrompt(node)

  await node.kill()
  await node.start()

  await vi.waitFor(async () => expect(await readState()).toBe(state), { timeout: 20_000 })
  expect(await readPrompt(node)).toEqual(before)
})
