import { getAudience, requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { tunnelPath } from '@innkeeper/contract/node-link/tunnel'
import { createNode } from '@innkeeper/contract/nodes/nodes'
import { expect } from 'vitest'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { test } from '../testing/test-panel.ts'

test('a tunnel is opened with the key of its node only, and each token once', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const [one, two] = await Promise.all(
    ['one', 'two'].map(async (name) => {
      const body = { name, publicHost: `${name}.example.net` }
      const { id } = (await testPanel.send(createNode, { body: body as never }, admin)).answer
      const node = await SignedNodeClient.make(id)
      const key = { node_id: id, jwk: JSON.stringify(node.publicKey), created_at: Date.now() }
      await testPanel.db.insertInto('node_keys').values(key).execute()
      return node
    }),
  )
  if (!one || !two) throw new Error('There are two nodes.')
  const purpose = requestPurpose('GET', tunnelPath)
  const dial = async (token: string) =>
    (await testPanel.request('GET', tunnelPath, undefined, { id: 0, username: '', email: '', token })).refusal

  // Authenticated, but it is no upgrade.
  const token = await one.token(purpose)
  expect(await dial(token)).toBe('ErrNotFound')
  expect(await dial(token)).toBe('ErrTokenInvalid')
  expect(await dial(await one.token(purpose, { iss: getAudience(two.nodeId) }))).toBe('ErrTokenInvalid')
  expect(await dial(await one.token(requestPurpose('POST', tunnelPath)))).toBe('ErrTokenInvalid')
  expect(await dial('')).toBe('ErrTokenInvalid')
  expect(await dial(await two.token(purpose))).toBe('ErrNotFound')
})
