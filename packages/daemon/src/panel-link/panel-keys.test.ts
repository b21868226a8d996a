import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { keySetAudience, type SignedKeySet } from '@innkeeper/contract/node-link/ticket'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import pino from 'pino'
import { test as base, expect } from 'vitest'
import { PanelKeys } from './panel-keys.ts'

interface Pair {
  readonly kid: string
  readonly publicKey: JWK
  readonly privateKey: CryptoKey
}

interface Scene {
  readonly dataDir: string
  /** The errors in the log. */
  readonly errors: string[]
  readonly open: (root: Pair) => Promise<PanelKeys>
}

const test = base.extend<{ fixture: Scene }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  fixture: async ({}, use) => {
    const dataDir = await mkdtemp(join(tmpdir(), 'innkeeper-keys-'))
    const errors: string[] = []
    const write = (line: string) => errors.push((JSON.parse(line) as { msg: string }).msg)
    const log = pino({ level: 'error' }, { write })
    await use({ dataDir, errors, open: ({ publicKey }) => PanelKeys.open({ dataDir, publicKey, log }) })
    await rm(dataDir, { recursive: true, force: true })
  },
})

async function pair(kid: string): Promise<Pair> {
  const { publicKey, privateKey } = await generateKeyPair('Ed25519', { extractable: true })
  return { kid, publicKey: await exportJWK(publicKey), privateKey }
}

async function statement(by: Pair, keys: readonly Pair[], wrong: Partial<SignedKeySet> = {}): Promise<string> {
  const iat = Math.floor(Date.now() / 1000)
  const named = keys.map(({ kid, publicKey: { x = '' } }) => ({ kid, x }))
  const statement: SignedKeySet = { aud: keySetAudience, iat, exp: iat + 60, keys: named, ...wrong }
  return await new SignJWT({ ...statement }).setProtectedHeader({ alg: 'EdDSA', kid: by.kid }).sign(by.privateKey)
}

test('the configured key is valid until the panel has sent its key set, which is stored', async ({ fixture }) => {
  const [first, second, third] = [await pair('first'), await pair('second'), await pair('third')]
  const keys = await fixture.open(first)
  expect(await keys.find('whatever it is called')).toBeDefined()
  expect(keys.known).toEqual([])

  await keys.accept([await statement(first, [first, second])])
  expect(keys.known).toEqual(['first', 'second'])
  await keys.accept([await statement(second, [second, third])])

  const again = await fixture.open(first)
  expect(again.known).toEqual(['second', 'third'])
  expect(await again.find('first')).toBeUndefined()
  expect(await again.find(undefined)).toBeUndefined()
  expect(await again.find('third')).toBeDefined()
  expect((await stat(join(fixture.dataDir, 'panel-keys.json'))).mode & 0o777).toBe(0o600)
})

test('one statement with a trusted signature is sufficient, otherwise the log shows what to do', async ({
  fixture,
}) => {
  const [first, second, third] = [await pair('first'), await pair('second'), await pair('third')]
  const keys = await fixture.open(first)
  await keys.accept([await statement(first, [first])])

  await keys.accept([await statement(third, [third])])
  await keys.accept([await statement(third, [third])])
  expect(keys.known).toEqual(['first'])
  expect(fixture.errors).toEqual([expect.stringContaining('keys that this node does not know: replace its secret')])

  await keys.accept([await statement(third, [second, third]), await statement(first, [second, third])])
  expect(keys.known).toEqual(['second', 'third'])
})

test.for<[string, Partial<SignedKeySet>]>([
  ['for something else', { aud: 'node:0' }],
  ['of long ago', { iat: 1_700_000_000, exp: 1_700_000_060 }],
  ['without any key', { keys: [] }],
])('a statement %s is rejected', async ([, wrong], { fixture }) => {
  const first = await pair('first')
  const keys = await fixture.open(first)

  await keys.accept([await statement(first, [first], wrong)])

  expect(keys.known).toEqual([])
  expect(fixture.errors).toHaveLength(1)
})

test('an older statement changes nothing', async ({ fixture }) => {
  const [first, second] = [await pair('first'), await pair('second')]
  const keys = await fixture.open(first)
  const iat = Math.floor(Date.now() / 1000) - 20
  const older = await statement(first, [first], { iat, exp: iat + 60 })
  await keys.accept([await statement(first, [first, second])])

  await keys.accept([older])

  expect(keys.known).toEqual(['first', 'second'])
})

test('a new configuration starts anew, and a damaged file is an error and not replaced', async ({ fixture }) => {
  const [first, second] = [await pair('first'), await pair('second')]
  await (await fixture.open(first)).accept([await statement(first, [first])])

  expect((await fixture.open(second)).known).toEqual([])

  const path = join(fixture.dataDir, 'panel-keys.json')
  await writeFile(path, '{')
  await expect(fixture.open(first)).rejects.toThrow('panel-keys.json is damaged')
  expect(await readFile(path, 'utf8')).toBe('{')
})
