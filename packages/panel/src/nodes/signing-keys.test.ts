import { reportNode } from '@innkeeper/contract/node-link/node-to-panel'
import { SignedKeySet } from '@innkeeper/contract/node-link/ticket'
import { decodeJwt, decodeProtectedHeader, importJWK, type JWK, jwtVerify } from 'jose'
import pino from 'pino'
import { test as base, describe, expect } from 'vitest'
import { openCliContext } from '../cli-context.ts'
import { SignedNodeClient } from '../testing/signed-node-client.ts'
import { TestPanel } from '../testing/test-panel.ts'

const log = pino({ level: 'silent' })

/** A panel with a controllable clock, its local node, and the keys that this node trusts. */
class Fixture {
  readonly testPanel: TestPanel
  readonly node: SignedNodeClient
  readonly #clock: { passed: number }

  private constructor(testPanel: TestPanel, node: SignedNodeClient, clock: { passed: number }) {
    this.testPanel = testPanel
    this.node = node
    this.#clock = clock
  }

  static async set(): Promise<Fixture> {
    const clock = { passed: 0 }
    const node = await SignedNodeClient.make()
    const testPanel = await TestPanel.start({ now: () => Date.now() + clock.passed, log }, node.publicKey)
    return new Fixture(testPanel, node, clock)
  }

  get now(): number {
    return Date.now() + this.#clock.passed
  }

  pass(seconds: number): void {
    this.#clock.passed += seconds * 1000
  }

  async rotate(): Promise<string> {
    const caretaking = await openCliContext({ databaseUrl: this.testPanel.databaseUrl, log, now: () => this.now })
    try {
      return await caretaking.rotateKey()
    } finally {
      await caretaking.close()
    }
  }

  /** The panel's response to a report with these keys. */
  async report(known: readonly string[] = []): Promise<readonly string[]> {
    const features = { features: [], environments: [], os: 'linux', arch: 'amd64', version: '0.0.0-test' }
    const some = { total: 1, used: 0 }
    const machine = { startedAt: '2026-01-01T00:00:00.000Z', cpu: { cores: 1, used: 0 }, memory: some, disk: some }
    const body = { atMs: this.now, features, machine, servers: [], keys: [...known] }
    const iat = Math.floor(this.now / 1000)
    const token = await this.node.token('POST /api/node/report', { iat, exp: iat + 60 })
    const anonymous = { id: 0, username: '', email: '', token }
    const reply = await this.testPanel.request<typeof reportNode>(reportNode.method, reportNode.path, body, anonymous)
    expect(reply.status).toBe(200)
    return reply.answer.keys ?? []
  }
}

const test = base.extend<{ fixture: Fixture }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const fixture = await Fixture.set()
    await use(fixture)
    await fixture.testPanel.stop()
  },
})

const named = (statement: string | undefined) => SignedKeySet.parse(decodeJwt(statement ?? '')).keys
const signedBy = (statements: readonly string[]) => statements.map((keySet) => decodeProtectedHeader(keySet).kid)

describe('the signing key', () => {
  test('is sent to every node that reports, in a signed key set', async ({ fixture }) => {
    const [keySet, ...others] = await fixture.report()

    const { payload } = await jwtVerify(
      keySet ?? '',
      await importJWK(fixture.testPanel.panel.publicJwk as JWK, 'EdDSA'),
      {
        audience: 'keys',
        currentDate: new Date(fixture.now),
      },
    )
    expect(payload.keys).toEqual([{ kid: 'tickets', x: fixture.testPanel.panel.publicJwk.x }])
    expect(others).toEqual([])
  })

  test('has a successor that is distributed before it signs, and is deleted after it', async ({ fixture }) => {
    await fixture.report()
    expect(await fixture.rotate()).toBe('created')
    fixture.pass(2)

    const keySets = await fixture.report(['tickets'])
    expect(signedBy(keySets)).toEqual(['tickets'])
    const keys = named(keySets[0])
    const next = keys[1]?.kid ?? ''
    expect(keys.map(({ kid }) => kid)).toEqual(['tickets', next])

    fixture.pass(31)
    expect(signedBy(await fixture.report(['tickets']))).toEqual(['tickets'])
    fixture.pass(2)
    const both = await fixture.report(['tickets', next])
    expect(signedBy(both)).toEqual(['tickets', next])
    expect(both.map((keySet) => named(keySet).map(({ kid }) => kid))).toEqual([
      ['tickets', next],
      ['tickets', next],
    ])

    fixture.pass(3601)
    await fixture.report(['tickets', next])
    const last = await fixture.report(['tickets', next])
    expect(signedBy(last)).toEqual([next])
    expect(named(last[0]).map(({ kid }) => kid)).toEqual([next])
    expect(await fixture.testPanel.db.selectFrom('signing_keys').select('id').execute()).toEqual([{ id: next }])
  })

  test('is promoted after ten minutes also when a node never confirms it', async ({ fixture }) => {
    await fixture.rotate()
    const rows = await fixture.testPanel.db
      .selectFrom('signing_keys')
      .select('id')
      .where('id', '<>', 'tickets')
      .execute()
    const next = rows[0]?.id ?? expect.fail()
    fixture.pass(590)
    await fixture.report(['tickets'])
    fixture.pass(2)
    expect(signedBy(await fixture.report(['tickets']))).toEqual(['tickets'])

    fixture.pass(20)
    expect(signedBy(await fixture.report(['tickets']))).toEqual(['tickets', next])
  })

  test('is not rotated during a rotation', async ({ fixture }) => {
    expect(await fixture.rotate()).toBe('created')
    expect(await fixture.rotate()).toBe('inProgress')
    fixture.pass(700)
    await fixture.report()
    expect(await fixture.rotate()).toBe('inProgress')

    fixture.pass(3700)
    await fixture.report()
    expect(await fixture.rotate()).toBe('created')
    const recorded = await fixture.testPanel.db.selectFrom('activity').select(['action', 'address']).execute()
    const rotated = { action: 'panel.key.rotate', address: 'command line' }
    expect(recorded.filter(({ action }) => action === rotated.action)).toEqual([rotated, rotated])
  })
})
