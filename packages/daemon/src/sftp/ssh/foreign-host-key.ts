import { createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto'
import ssh2 from 'ssh2'

/** The private host key of another SFTP server, in the format of ours; of another type than Ed25519 only its type. */
export type ForeignHostKey = { readonly key: string; readonly publicKey: string } | { readonly type: string }

/** Reads a key in PEM (PKCS #8 or older) or in the format of OpenSSH; `undefined` when it is neither, or encrypted. */
export function readForeignHostKey(text: string): ForeignHostKey | undefined {
  const own = ssh2.utils.parseKey(text)
  const pem = own instanceof Error ? fromPem(text) : undefined
  if (pem && pem.asymmetricKeyType !== 'ed25519') return { type: pem.asymmetricKeyType ?? 'unknown' }
  const key = pem ? inOpenSshFormat(pem) : text
  const parsed = pem ? ssh2.utils.parseKey(key) : own
  if (parsed instanceof Error || !parsed.isPrivateKey()) return undefined
  if (parsed.type !== 'ssh-ed25519') return { type: parsed.type }
  return { key, publicKey: parsed.getPublicSSH().toString('base64') }
}

function fromPem(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    // No key, or an encrypted one: the caller says so.
    return undefined
  }
}

/** See PROTOCOL.key of OpenSSH: the SSH library does not read Ed25519 keys in PEM. */
function inOpenSshFormat(pem: KeyObject): string {
  const { d = '' } = pem.export({ format: 'jwk' })
  const { x = '' } = createPublicKey(pem).export({ format: 'jwk' })
  const [seed, point] = [Buffer.from(d, 'base64url'), Buffer.from(x, 'base64url')]
  const name = field('ssh-ed25519')
  const check = Buffer.alloc(8)
  const secret = Buffer.concat([check, name, field(point), field(Buffer.concat([seed, point])), field('')])
  const padding = Buffer.from([1, 2, 3, 4, 5, 6, 7].slice(0, (8 - (secret.length % 8)) % 8))
  const whole = Buffer.concat([
    Buffer.from('openssh-key-v1\0'),
    ...[field('none'), field('none'), field(''), number(1)],
    field(Buffer.concat([name, field(point)])),
    field(Buffer.concat([secret, padding])),
  ])
  const lines = whole.toString('base64').match(/.{1,70}/g) ?? []
  return ['-----BEGIN OPENSSH PRIVATE KEY-----', ...lines, '-----END OPENSSH PRIVATE KEY-----', ''].join('\n')
}

function field(content: string | Buffer): Buffer {
  const bytes = Buffer.from(content)
  return Buffer.concat([number(bytes.length), bytes])
}

function number(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}
