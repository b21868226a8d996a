import { createHmac } from 'node:crypto'
import { listActivity } from '@innkeeper/contract/activity/activity'
import { enrolledText, joinNode, nodeJoinText } from '@innkeeper/contract/node-link/node-to-panel'
import { createJoinToken, listJoinTokens, revokeJoinToken } from '@innkeeper/contract/nodes/join-tokens'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { expect } from 'vitest'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { type TestPanel, test } from '../testing/test-panel.ts'

const nonce = 'something never used'
const getProof = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url')

/** A machine registers itself with a token. */
async function join(testPanel: TestPanel, token: string, machine: SignedNodeClient) {
  const [tokenId = '', secret = ''] = token.split('.')
  const key = machine.publicKey.x ?? ''
  const said = { tokenId, name: 'game host.lan', key, certificate: '', port: 5656, sftpPort: 5657, nonce }
  const reply = await testPanel.send(joinNode, { body: { ...said, proof: getProof(secret, nodeJoinText(said)) } })
  return { ...reply, expectedProof: getProof(secret, enrolledText(nonce)) }
}

test('machines join with a token as often as it may be used, each as a node with its own key', async ({
  testPanel,
}) => {
  const admin = await testPanel.admin()
  const { token, config } = (await testPanel.send(createJoinToken, { body: { uses: 2, hours: 1 } }, admin)).answer
  expect(JSON.parse(config)).toMatchObject({ role: 'node', joinToken: token })
  const [one, two, three] = await Promise.all([0, 0, 0].map(() => SignedNodeClient.make()))
  if (!one || !two || !three) throw new Error('There are three machines.')

  const first = await join(testPanel, token, one)
  expect(first.answer.proof).toBe(first.expectedProof)
  // The response was lost: the same machine repeats the request.
  expect((await join(testPanel, token, one)).answer.nodeId).toBe(first.answer.nodeId)
  const usesLeft = async () => (await testPanel.send(listJoinTokens, {}, admin)).answer.map((listed) => listed.usesLeft)
  expect(await usesLeft()).toEqual([1])
  expect((await join(testPanel, token, two)).answer.nodeId).not.toBe(first.answer.nodeId)
  expect(await usesLeft()).toEqual([0])
  expect((await join(testPanel, token, three)).refusal).toBe('ErrTokenInvalid')

  const nodes = (await testPanel.send(listNodes, {}, admin)).answer.filter(({ isLocal }) => !isLocal)
  expect(nodes.map(({ name }) => name)).toEqual(['game-host.lan', 'game-host.lan-2'])
  const { activity } = (await testPanel.send(listActivity, { query: { limit: '10' } }, admin)).answer
  expect(activity.filter(({ action, result }) => action === 'node.join' && result === 'done')).toHaveLength(3)
})

test('a token that is wrong, revoked or has expired registers nothing', async ({ testPanel }) => {
  const admin = await testPanel.admin()
  const create = async () => (await testPanel.send(createJoinToken, { body: { uses: 5, hours: 1 } }, admin)).answer
  const [revoked, expired] = [await create(), await create()]
  const machine = await SignedNodeClient.make()
  await testPanel.send(revokeJoinToken, { params: { token: revoked.id } }, admin)
  await testPanel.db
    .updateTable('join_tokens')
    .set({ expires_at: Date.now() - 1 })
    .execute()

  for (const token of [revoked.token, expired.token, `${expired.id}.wrong`, 'unknown.wrong'])
    expect((await join(testPanel, token, machine)).refusal).toBe('ErrTokenInvalid')
  expect((await testPanel.send(listJoinTokens, {}, admin)).answer).toEqual([])
  expect((await testPanel.send(revokeJoinToken, { params: { token: revoked.id } }, admin)).refusal).toBe('ErrNotFound')
  expect((await testPanel.send(listNodes, {}, admin)).answer.filter(({ isLocal }) => !isLocal)).toEqual([])
})
