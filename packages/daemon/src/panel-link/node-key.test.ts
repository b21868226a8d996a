import { X509Certificate } from 'node:crypto'
import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { NodeToken } from '@innkeeper/contract/node-link/ticket'
import { importJWK, jwtVerify } from 'jose'
import { test as base, expect } from 'vitest'
import { openNodeCertificate } from './node-certificate.ts'
import { loadNodeKey } from './node-key.ts'

const test = base.extend<{ folder: string }>({
  // biome-ignore lint/correctness/noEmptyPattern: the runner reads what a fixture needs from its pattern
  folder: async ({}, use) => {
    const folder = await mkdtemp(join(tmpdir(), 'innkeeper-key-'))
    await use(folder)
    await rm(folder, { recursive: true, force: true })
  },
})

test('a node has one permanent key, which only its user can read and which never leaves it', async ({ folder }) => {
  const first = await loadNodeKey(folder, 3)
  const again = await loadNodeKey(folder, 3)

  expect(again.publicKey).toEqual(first.publicKey)
  expect(Object.keys(first.publicKey).toSorted()).toEqual(['crv', 'kty', 'x'])
  expect(await readdir(folder)).toEqual(['node-key.pem'])
  expect((await stat(join(folder, 'node-key.pem'))).mode & 0o777).toBe(0o600)
})

test('its tokens have one purpose, and expire after a minute', async ({ folder }) => {
  const node = await loadNodeKey(folder, 3)

  const { payload } = await jwtVerify(await node.sign('POST /x'), await importJWK(node.publicKey, 'EdDSA'))

  const token = NodeToken.parse(payload)
  expect(token).toMatchObject({ iss: 'node:3', aud: 'panel', purpose: 'POST /x' })
  expect(token.exp - token.iat).toBe(60)
})

test.for(['', 'no key', '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n'])(
  'a damaged key is an error and not replaced: %j',
  async (text, { folder }) => {
    await writeFile(join(folder, 'node-key.pem'), text)

    await expect(loadNodeKey(folder, 3)).rejects.toThrow('node-key.pem is damaged')

    expect((await stat(join(folder, 'node-key.pem'))).size).toBe(text.length)
  },
)

test('its certificate is valid whatever the clocks say', async ({ folder }) => {
  const { validFromDate, validToDate } = new X509Certificate((await openNodeCertificate(folder)).cert)

  expect(validFromDate.getUTCFullYear()).toBeLessThan(2020)
  expect(validToDate.getUTCFullYear()).toBeGreaterThan(2100)
})
