import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { getAudience, type NodeToken, panelAudience } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { exportJWK, type JWK, SignJWT } from 'jose'
import { loadOrCreateSecret } from './secret-file.ts'

/** The identity of a node: its own key, created once, and its number in the panel. */
export interface NodeIdentity {
  readonly nodeId: number
  /** For verification by the panel. */
  readonly publicKey: JWK
  /** Signs a token for one request: `METHOD /path`. */
  sign(purpose: string): Promise<string>
}

/** Loads or creates the identity in a data directory. */
export async function loadNodeKey(dataDir: string, nodeId: number): Promise<NodeIdentity> {
  const path = join(dataDir, 'node-key.pem')
  const privateKey = privateKeyIn(path, await loadOrCreateSecret(path, newKey))
  const { kty, crv, x } = await exportJWK(createPublicKey(privateKey))
  return {
    nodeId,
    publicKey: { kty, crv, x } as JWK,
    async sign(purpose) {
      const iat = Math.floor(Date.now() / 1000)
      const token: NodeToken = {
        iss: getAudience(nodeId),
        aud: panelAudience,
        jti: randomBytes(16).toString('base64url'),
        iat,
        exp: iat + limits.ticketLifeMs / 1000,
        purpose,
      }
      return await new SignJWT({ ...token }).setProtectedHeader({ alg: 'EdDSA' }).sign(privateKey)
    },
  }
}

function newKey(): string {
  const { privateKey } = generateKeyPairSync('ed25519')
  return String(privateKey.export({ type: 'pkcs8', format: 'pem' }))
}

function privateKeyIn(path: string, pem: string): KeyObject {
  try {
    const key = createPrivateKey(pem)
    if (key.asymmetricKeyType === 'ed25519') return key
  } catch (cause) {
    throw new Error(`${path} is damaged. Restore it from a backup, or remove it for a new key.`, { cause })
  }
  throw new Error(`${path} contains no Ed25519 key. Restore it from a backup, or remove it for a new key.`)
}
