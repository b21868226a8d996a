import { createHash, createPublicKey, type JsonWebKey } from 'node:crypto'
import { trimEnd } from '@innkeeper/contract/trim-end'

/** A public SSH key. */
export interface PublicKey {
  readonly algorithm: string
  /** In SSH wire format. */
  readonly blob: Buffer
  /** The comment in its file. */
  readonly comment: string
}

/** Parses a line of a `.pub` file; `undefined` for an invalid, unsupported or weak key. */
export function parsePublicKey(text: string): PublicKey | undefined {
  const [algorithm = '', encoded = '', ...rest] = text.trim().split(/[ \t]+/)
  const comment = rest.join(' ')
  if (!/^[A-Za-z0-9+/]+=*$/.test(encoded) || /[\x00-\x1f\x7f]/.test(comment)) return undefined
  const blob = Buffer.from(encoded, 'base64')
  if (blob.toString('base64') !== encoded) return undefined
  return isUsable(algorithm, blob) ? { algorithm, blob, comment } : undefined
}

/** `SHA256:…`, as `ssh-keygen -l` prints it. */
export function fingerprintOf(blob: Buffer): string {
  return `SHA256:${trimEnd(createHash('sha256').update(blob).digest('base64'), '=')}`
}

const curves: Readonly<Record<string, readonly [name: string, crv: string, bytes: number]>> = {
  'ecdsa-sha2-nistp256': ['nistp256', 'P-256', 32],
  'ecdsa-sha2-nistp384': ['nistp384', 'P-384', 48],
  'ecdsa-sha2-nistp521': ['nistp521', 'P-521', 66],
}
const leastRsaBits = 2048
const mostRsaBits = 16_384

/** Whether the bytes are exactly one key of the algorithm, and mathematically valid. */
function isUsable(algorithm: string, blob: Buffer): boolean {
  const [named, ...parts] = stringsIn(blob) ?? []
  if (named?.toString() !== algorithm) return false
  const jwk = jwkOf(algorithm, parts)
  if (!jwk) return false
  try {
    const { modulusLength } = createPublicKey({ key: jwk, format: 'jwk' }).asymmetricKeyDetails ?? {}
    return modulusLength === undefined || (modulusLength >= leastRsaBits && modulusLength <= mostRsaBits)
  } catch {
    return false
  }
}

function jwkOf(algorithm: string, parts: readonly Buffer[]): JsonWebKey | undefined {
  const [first, second] = parts
  const text = (bytes: Buffer) => bytes.toString('base64url')
  if (algorithm === 'ssh-ed25519') {
    return first?.length === 32 && parts.length === 1 ? { kty: 'OKP', crv: 'Ed25519', x: text(first) } : undefined
  }
  if (!first || !second || parts.length !== 2) return undefined
  if (algorithm === 'ssh-rsa') return { kty: 'RSA', e: text(first), n: text(second) }
  const [name, crv = '', bytes = 0] = (Object.hasOwn(curves, algorithm) && curves[algorithm]) || []
  // An uncompressed point: 4, then both coordinates.
  if (first.toString() !== name || second.length !== 1 + 2 * bytes || second[0] !== 4) return undefined
  return { kty: 'EC', crv, x: text(second.subarray(1, 1 + bytes)), y: text(second.subarray(1 + bytes)) }
}

/** Splits bytes into length-prefixed strings; `undefined` when the bytes do not end with one. */
function stringsIn(bytes: Buffer): Buffer[] | undefined {
  const found: Buffer[] = []
  let at = 0
  while (at < bytes.length) {
    if (at + 4 > bytes.length) return undefined
    const end = at + 4 + bytes.readUInt32BE(at)
    if (end > bytes.length || found.length === 4) return undefined
    found.push(bytes.subarray(at + 4, end))
    at = end
  }
  return found
}
