import { createHmac } from 'node:crypto'
import { enrolledText, enrolmentText, enrolNode, reportNode } from '@innkeeper/contract/node-panel'
import {
  createNode,
  deleteNode,
  editNode,
  getNode,
  getNodeDeployment,
  listNodes,
  replaceNodeSecret,
} from '@innkeeper/contract/nodes'
import { getUsage, listServers } from '@innkeeper/contract/servers'
import type { JWK } from 'jose'
import pino from 'pino'
import { test as base, describe, expect } from 'vitest'
import { AskingNode } from '../testing/asking-node.ts'
import { House, type Person } from '../testing/house.ts'

const far = { name: 'far', publicHost: 'far.example.org', sftpPort: 2222 }
const log = pino({ level: 'silent' })

/** A house with an administrator, whose clock the test moves. */
interface Scene {
  readonly house: House
  readonly admin: Person
  pass(ms: number): void
}

const test = base.extend<{ scene: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  scene: async ({}, use) => {
    let passed = 0
    const house = await House.build({ now: () => Date.now() + passed, log })
    const pass = (ms: number) => {
      passed += ms
    }
    await use({ house, admin: await house.admin(), pass })
    await house.pullDown()
  },
})

async function added({ house, admin }: Scene): Promise<number> {
  return (await house.send(createNode, { body: far }, admin)).answer.id
}

const proofOf = (secret: string, text: string) => createHmac('sha256', secret).update(text).digest('base64url')

async function join({ house }: Scene, nodeId: number, secret: string, key: JWK) {
  const said = { nodeId, key: String(key.x), certificate: '', nonce: 'something never used' }
  const body = { ...said, proof: proofOf(secret, enrolmentText(said)) }
  return await house.send(enrolNode, { body })
}

async function secretOf({ house, admin }: Scene, id: number): Promise<string> {
  return (await house.send(getNodeDeployment, { params: { id } }, admin)).answer.clientSecret
}

async function joined(scene: Scene): Promise<AskingNode> {
  const id = await added(scene)
  const node = await AskingNode.make(id)
  expect((await join(scene, id, await secretOf(scene, id), node.publicKey)).status).toBe(200)
  return node
}

function reportAt(at: number, servers: readonly string[] = []) {
  const since = '2026-01-01T00:00:00.000Z'
  return {
    at,
    features: { features: [], environments: ['standard'], os: 'linux', arch: 'amd64', version: '0.0.0-test' },
    machine: {
      startedAt: since,
      cpu: { cores: 2, used: 10 },
      memory: { total: 100, used: 50 },
      disk: { total: 100, used: 50 },
    },
    servers: servers.map((id) => ({
      id,
      status: { running: true, installing: false, state: 'online' as const, since },
      stats: { cpu: 7, memory: 8 },
    })),
  }
}

describe('nodes in the panel', () => {
  test('one is added with the usual ports, edited, and deleted', async ({ scene }) => {
    const { house, admin } = scene
    const id = await added(scene)
    const params = { id }
    expect((await house.send(getNode, { params }, admin)).answer).toMatchObject({
      ...far,
      publicPort: 8080,
      privateHost: far.publicHost,
      privatePort: 5656,
      isLocal: false,
      health: { state: 'waiting', problems: [] },
    })

    await house.send(editNode, { params, body: { name: 'further', publicPort: 0, privateHost: '10.0.0.2' } }, admin)
    expect((await house.send(listNodes, {}, admin)).answer.map(({ name }) => name)).toEqual(['LocalNode', 'further'])
    expect((await house.send(getNode, { params }, admin)).answer).toMatchObject({
      publicPort: 8080,
      privateHost: '10.0.0.2',
    })

    expect((await house.send(deleteNode, { params }, admin)).status).toBe(204)
    expect((await house.send(getNode, { params }, admin)).status).toBe(404)
  })

  test.for([
    ['the name of another', { ...far, name: 'FAR' }, 'ErrDuplicateNodeName'],
    ['a name with blanks', { ...far, name: 'far away' }, 'ErrFieldHasURICharacters'],
    ['a name that cannot be printed', { ...far, name: 'f\u00e4r' }, 'ErrFieldMustBePrintable'],
    ['a host that is none', { ...far, name: 'b', publicHost: 'not a host' }, 'ErrFieldIsInvalidHost'],
    ['SFTP on the public port', { ...far, name: 'b', publicPort: 2222 }, 'ErrFieldEqual'],
    ['SFTP on the private port', { ...far, name: 'b', privatePort: 2222 }, 'ErrFieldEqual'],
  ] as const)('one with %s is refused', async ([, body, code], { scene }) => {
    await added(scene)

    expect((await scene.house.send(createNode, { body }, scene.admin)).refusal).toBe(code)
  })

  test('the local one cannot be changed or deleted, and one with servers not deleted', async ({ scene }) => {
    const { house, admin } = scene
    const id = await added(scene)
    const server = await house.server({ name: 'lobby' })
    await house.db.updateTable('servers').set({ node_id: id }).where('id', '=', server).execute()

    expect((await house.send(editNode, { params: { id: 0 }, body: {} }, admin)).refusal).toBe('ErrNodeIsLocal')
    expect((await house.send(deleteNode, { params: { id: 0 } }, admin)).refusal).toBe('ErrNodeIsLocal')
    const deleted = await house.send(deleteNode, { params: { id } }, admin)
    expect([deleted.refusal, deleted.metadata]).toEqual(['ErrNodeHasServers', { servers: 'lobby' }])
  })
})

describe('joining', () => {
  test('who knows the secret joins once, and hears a proof that it is the panel that answers', async ({ scene }) => {
    const id = await added(scene)
    const secret = await secretOf(scene, id)
    const [node, other] = [await AskingNode.make(id), await AskingNode.make(id)]

    const { answer } = await join(scene, id, secret, node.publicKey)
    expect(answer.proof).toBe(proofOf(secret, enrolledText('something never used')))
    expect(await secretOf(scene, id)).toBe('')
    // The answer got lost: the same node asks again.
    expect((await join(scene, id, secret, node.publicKey)).status).toBe(200)
    expect((await join(scene, id, secret, other.publicKey)).refusal).toBe('ErrTokenInvalid')
  })

  test('another secret is refused, and another node does not join with this one', async ({ scene }) => {
    const id = await added(scene)
    const { publicKey } = await AskingNode.make(id)

    expect((await join(scene, id, 'guessed', publicKey)).refusal).toBe('ErrTokenInvalid')
    expect((await join(scene, id + 1, await secretOf(scene, id), publicKey)).refusal).toBe('ErrTokenInvalid')
  })

  test('with a new secret the old key is believed no longer', async ({ scene }) => {
    const { house, admin } = scene
    const node = await joined(scene)
    const report = () => node.ask(house, reportNode, { body: reportAt(Date.now()) })
    expect((await report()).status).toBe(200)

    await house.send(replaceNodeSecret, { params: { id: node.nodeId } }, admin)

    expect((await report()).refusal).toBe('ErrTokenInvalid')
  })
})

describe('reports', () => {
  test('a node is online while it reports, offline after its silence, and lists show what it said last', async ({
    scene,
  }) => {
    const { house, admin, pass } = scene
    const node = await joined(scene)
    const server = await house.server()
    await house.db.updateTable('servers').set({ node_id: node.nodeId }).where('id', '=', server).execute()
    await node.ask(house, reportNode, { body: reportAt(Date.now(), [server]) })
    const health = async () =>
      (await house.send(getNode, { params: { id: node.nodeId } }, admin)).answer.health ?? expect.fail()
    const usage = async () => (await house.send(getUsage, { query: { ids: server } }, admin)).answer[0]

    expect(await health()).toMatchObject({ problems: [], servers: { total: 1, running: 1 } })
    expect(await usage()).toMatchObject({ status: { state: 'online' }, stats: { cpu: 7 } })
    expect(await usage()).not.toHaveProperty('isOld')

    pass(31_000)
    expect((await health()).state).toBe('offline')
    expect(await usage()).toMatchObject({ isOld: true, status: { state: 'online' } })
    expect((await house.send(listServers, { query: {} }, admin)).answer.servers[0]?.node.name).toBe('far')
  })

  test('a wrong clock and a full disk are told', async ({ scene }) => {
    const { house, admin } = scene
    const node = await joined(scene)
    const report = reportAt(Date.now() + 3_600_000)
    const machine = { ...report.machine, disk: { total: 100, used: 99 } }
    await node.ask(house, reportNode, { body: { ...report, machine } })

    const { health } = (await house.send(getNode, { params: { id: node.nodeId } }, admin)).answer
    expect(health).toMatchObject({ state: 'degraded' })
    expect(health?.problems).toEqual(expect.arrayContaining(['clockSkew', 'diskFull']))
    expect(health?.clockSkewMs).toBeGreaterThan(3_590_000)
  })

  test('a node that reports, but that the panel does not reach, is degraded', async ({ scene }) => {
    const { house, admin } = scene
    const node = await joined(scene)
    await house.db
      .updateTable('nodes')
      .set({ private_host: '127.0.0.1', private_port: 1 })
      .where('id', '=', node.nodeId)
      .execute()

    await node.ask(house, reportNode, { body: reportAt(Date.now()) })

    await expect
      .poll(async () => (await house.send(getNode, { params: { id: node.nodeId } }, admin)).answer.health, {
        timeout: 10_000,
      })
      .toMatchObject({ state: 'degraded', problems: ['unreachable'] })
  })
})
