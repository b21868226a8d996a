import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { getSftpPermissions } from '@innkeeper/contract/node-link/node-to-panel'
import { requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { Agent, request } from 'undici'
import { expect } from 'vitest'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { test as base, TestPanel } from '../testing/test-panel.ts'

interface Beside {
  readonly testPanel: TestPanel
  readonly node: SignedNodeClient
  readonly socketPath: string
  ask(path: string, token?: string): Promise<{ status: number; text: string }>
}

/** A node that gets no requests. */
const awayNode = { name: 'LocalNode', sftpPort: 1 } as const

const test = base.extend<{ beside: Beside }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  beside: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-beside-'))
    const panelSocketPath = join(folder, 'run', 'panel.sock')
    const node = await SignedNodeClient.make()
    const nodeSocket = join(folder, 'node.sock')
    const localNode = { ...awayNode, socketPath: nodeSocket, publicKey: node.publicKey, panelSocketPath }
    const testPanel = await TestPanel.start({ localNode })
    await testPanel.panel.listen()
    const agent = new Agent({ connect: { socketPath: panelSocketPath } })
    await use({
      testPanel,
      node,
      socketPath: panelSocketPath,
      async ask(path, token) {
        const answer = await request(`http://panel${path}`, {
          dispatcher: agent,
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(token ? { authorization: `Bearer ${token}` } : {}) },
          body: JSON.stringify({ grants: [] }),
        })
        return { status: answer.statusCode, text: await answer.body.text() }
      },
    })
    await agent.destroy()
    await testPanel.stop()
    await rm(folder, { recursive: true, force: true })
  },
})

test('the local node reaches the panel over a socket that only its user may open', async ({ beside }) => {
  const token = await beside.node.token(requestPurpose(getSftpPermissions.method, getSftpPermissions.path))

  expect(await beside.ask(getSftpPermissions.path, token)).toEqual({ status: 200, text: '{"rights":[]}' })
  expect((await beside.ask(getSftpPermissions.path)).status).toBe(400)
  expect((await stat(beside.socketPath)).mode & 0o777).toBe(0o600)
})

test.for(['/auth/login', '/api/config', '/', '/api/node', '//api/node/x', '/api/node/../config'])(
  '%s is not found there',
  async (path, { beside }) => {
    expect((await beside.ask(path)).status).toBe(404)
  },
)

test('a file that is not a socket is not replaced, and stops the start', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'innkeeper-beside-'))
  const panelSocketPath = join(folder, 'panel.sock')
  await writeFile(panelSocketPath, 'precious')
  const localNode = { ...awayNode, socketPath: join(folder, 'node.sock'), panelSocketPath }
  const testPanel = await TestPanel.start({ localNode })

  await expect(testPanel.panel.listen()).rejects.toThrow('EADDRINUSE')

  await testPanel.stop()
  await rm(folder, { recursive: true, force: true })
})
