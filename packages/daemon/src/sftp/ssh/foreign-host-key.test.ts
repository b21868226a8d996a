import { generateKeyPairSync } from 'node:crypto'
import ssh2 from 'ssh2'
import { expect, test } from 'vitest'
import { readForeignHostKey } from './foreign-host-key.ts'
import { newHostKey } from './host-key.ts'

test('an Ed25519 key in PEM, as Go and PHP programs write it, keeps its public key', () => {
  for (let round = 0; round < 300; round++) {
    const { privateKey, publicKey } = generateKeyPairSync('ed25519')
    const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
    const point = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')

    const read = readForeignHostKey(pem)

    const parsed = ssh2.utils.parseKey((read as { key: string }).key) as ssh2.ParsedKey
    expect(parsed.getPublicSSH().subarray(-32)).toEqual(point)
    expect(parsed.verify('text', parsed.sign('text'))).toBe(true)
  }
})

test('a key in the format of OpenSSH is used as it is', () => {
  const key = newHostKey()

  expect(readForeignHostKey(key)).toMatchObject({ key })
})

test.each(['pkcs1', 'pkcs8'] as const)('of an RSA key in %s only the type is known', (type) => {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })

  const read = readForeignHostKey(privateKey.export({ type, format: 'pem' }).toString())

  expect(JSON.stringify(read)).toMatch(/"type":"(ssh-)?rsa"/)
})

test.each([
  ['nothing', ''],
  ['no key', '-----BEGIN PRIVATE KEY-----\nxxxx\n-----END PRIVATE KEY-----\n'],
  [
    'an encrypted key',
    generateKeyPairSync('ed25519', {
      privateKeyEncoding: { type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: 'x' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    }).privateKey,
  ],
])('%s is not read', (_, text) => {
  expect(readForeignHostKey(text)).toBeUndefined()
})
