import { createHash, createPublicKey } from 'node:crypto'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import ssh2 from 'ssh2'

/** A public SSH key. */
export interface PublicKey {
  readonly algorithm: string
  /** In SSH wire format. */
  readonly blob: Buffer
  /** The comment in its file. */
  readonly comment: string
}

const algorithms: readonly string[] = [
  'ssh-ed25519',
  'ecdsa-sha2-nistp256',
  'ecdsa-sha2-nistp384',
  'ecdsa-sha2-nistp521',
  'ssh-rsa',
]
const minRsaBits = 2048
const maxRsaBits = 16_384

/** Parses a line of a `.pub` file; `undefined` for an invalid, unsupported or weak key. */
export function parsePublicKey(text: string): PublicKey | undefined {
  const [algorithm = '', encoded = '', ...rest] = text.trim().split(/[ \t]+/)
  const comment = rest.join(' ')
  if (!algorithms.includes(algorithm) || /[\x00-\x1f\x7f]/.test(comment)) return undefined
  const key = ssh2.utils.parseKey(`${algorithm} ${encoded}`)
  if (key instanceof Error) return undefined
  const blob = key.getPublicSSH()
  // The parser accepts bytes after the key and the name of another curve.
  if (blob.toString('base64') !== encoded || hasCompressedPoint(algorithm, blob) || !isUsable(key.getPublicPEM()))
    return undefined
  return { algorithm, blob, comment }
}

/** `SHA256:…`, as `ssh-keygen -l` prints it. */
export function getFingerprint(blob: Buffer): string {
  return `SHA256:${trimEnd(createHash('sha256').update(blob).digest('base64'), '=')}`
}

const uncompressedPoint = 0x04

/** OpenSSH does not accept compressed points, and the same key in two forms would have two fingerprints. */
function hasCompressedPoint(algorithm: string, blob: Buffer): boolean {
  if (!algorithm.startsWith('ecdsa-')) return false
  const [, , point] = getFields(blob)
  return point?.[0] !== uncompressedPoint
}

/** The fields of a key in SSH wire format, each of which follows its length. */
function getFields(blob: Buffer): Buffer[] {
  const fields: Buffer[] = []
  for (let start = 0; start + 4 <= blob.length; ) {
    const end = start + 4 + blob.readUInt32BE(start)
    fields.push(blob.subarray(start + 4, end))
    start = end
  }
  return fields
}

/** Whether the key is mathematically valid and long enough. */
function isUsable(pem: string): boolean {
  try {
    const { modulusLength } = createPublicKey(pem).asymmetricKeyDetails ?? {}
    return modulusLength === undefined || (modulusLength >= minRsaBits && modulusLength <= maxRsaBits)
  } catch {
    return false
  }
}
