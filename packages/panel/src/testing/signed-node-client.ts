import { randomBytes } from 'node:crypto'
import type { Endpoint, RequestOf } from '@innkeeper/contract/api/endpoint'
import { getAudience, type NodeToken, panelAudience, requestPurpose } from '@innkeeper/contract/node-link/ticket'
import { limits } from '@innkeeper/contract/text/limits'
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import type { Reply, TestPanel } from './test-panel.ts'

/** A node that sends signed requests to the panel. */
export class SignedNodeClient {
  readonly nodeId: number
  readonly publicKey: JWK
  readonly #key: CryptoKey

  private constructor(nodeId: number, publicKey: JWK, key: CryptoKey) {
    this.nodeId = nodeId
    this.publicKey = publicKey
    this.#key = key
  }

  static async make(nodeId = 0): Promise<SignedNodeClient> {
    const { publicKey, privateKey } = await generateKeyPair('Ed25519', { extractable: true })
    return new SignedNodeClient(nodeId, await exportJWK(publicKey), privateKey)
  }

  /** A token for one request; claims can be overridden. */
  async token(purpose: string, wrong: Partial<NodeToken> = {}): Promise<string> {
    const iat = Math.floor(Date.now() / 1000)
    const token: NodeToken = {
      iss: getAudience(this.nodeId),
      aud: panelAudience,
      jti: randomBytes(16).toString('base64url'),
      iat,
      exp: iat + limits.ticketLifeMs / 1000,
      purpose,
      ...wrong,
    }
    return await new SignJWT({ ...token }).setProtectedHeader({ alg: 'EdDSA' }).sign(this.#key)
  }

  /** Calls an endpoint for nodes. */
  async request<C extends Endpoint>(testPanel: TestPanel, call: C, request: RequestOf<C>): Promise<Reply<C>> {
    const { body } = request as { body?: unknown }
    const token = await this.token(requestPurpose(call.method, call.path))
    return await testPanel.request<C>(call.method, call.path, body, { id: 0, username: '', email: '', token })
  }
}
