import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { enrolledText, enrolmentText, enrolNode } from '@innkeeper/contract/node-link/node-to-panel'
import type { Logger } from 'pino'
import type { NodeIdentity } from './node-key.ts'
import type { PanelLink } from './panel-link.ts'

/** Backoff of a node that cannot join: doubles from this value to the maximum. */
const enrolRetryMs = 1_000
const maxEnrolRetryMs = 30_000

interface Deps {
  readonly panel: Pick<PanelLink, 'request' | 'requestPublic'>
  readonly identity: NodeIdentity
  /** The node's TLS certificate, PEM; empty when it has a publicly trusted one. */
  readonly certificate: string
  readonly secret: string
  readonly log: Logger
  readonly signal: AbortSignal
}

/**
 * Enrols the node with the panel, using the secret of its deployment; retries until it succeeds. Can be repeated.
 * Returns false when the panel rejects the secret.
 */
export async function enrol({ panel, identity, certificate, secret, log, signal }: Deps): Promise<boolean> {
  for (let wait: number = enrolRetryMs; !signal.aborted; wait = Math.min(wait * 2, maxEnrolRetryMs)) {
    try {
      const nonce = randomBytes(16).toString('base64url')
      const said = { nodeId: identity.nodeId, key: identity.publicKey.x ?? '', certificate, nonce }
      const body = { ...said, proof: getProof(secret, enrolmentText(said)) }
      const { proof } = await panel.requestPublic(enrolNode, { body })
      if (!isSame(proof, getProof(secret, enrolledText(nonce)))) {
        throw new Error("The server at the panel's address does not know the secret of this node.")
      }
      log.info('this node has been enrolled with its panel')
      return true
    } catch (error) {
      if (signal.aborted) return false
      if (error instanceof Refusal && error.code === 'ErrTokenInvalid') {
        log.error(
          'the panel rejects the secret of this node: replace it on the page of the node, and in its configuration',
        )
      } else log.warn({ err: error }, `failed to enrol with the panel, retrying in ${Math.round(wait / 1000)} s`)
      await pause(wait, undefined, { signal }).catch(() => {})
    }
  }
  return false
}

const getProof = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

function isSame(actual: string, expected: string): boolean {
  const [a, b] = [Buffer.from(actual), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}
