import { createHmac, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { enrolledText, joinNode, nodeJoinText } from '@innkeeper/contract/node-link/node-to-panel'
import type { Logger } from 'pino'
import { writeFileAtomic } from '../fs/atomic-write.ts'
import { readTextIfExists } from '../fs/if-exists.ts'
import { loadNodeKey } from './node-key.ts'
import { panelLink } from './panel-link.ts'

/** Backoff of a node that cannot join: doubles from this value to the maximum. */
const retryMs = 1_000
const maxRetryMs = 30_000

interface Options {
  readonly dataDir: string
  readonly panelUrl: string
  /** `<id>.<secret>`. */
  readonly token: string
  /** The node's TLS certificate, PEM; empty when it has a publicly trusted one. */
  readonly certificate: string
  readonly port: number
  readonly sftpPort: number
  readonly log: Logger
}

/**
 * The ID of this node: stored since it joined; else it registers itself with the token under the name of its host, and
 * retries while the panel does not respond.
 * @throws Error when the panel rejects the token
 */
export async function joinByToken({ dataDir, panelUrl, token, log, ...machine }: Options): Promise<number> {
  const path = join(dataDir, 'node-id')
  const stored = Number(await readTextIfExists(path))
  if (stored > 0) return stored
  const [tokenId = '', secret = ''] = token.split('.')
  const identity = await loadNodeKey(dataDir, 0)
  const panel = panelLink({ url: panelUrl }, identity)
  try {
    for (let wait = retryMs; ; wait = Math.min(wait * 2, maxRetryMs)) {
      try {
        const nonce = randomBytes(16).toString('base64url')
        const said = { tokenId, name: hostname(), key: identity.publicKey.x ?? '', nonce, ...machine }
        const body = { ...said, proof: getProof(secret, nodeJoinText(said)) }
        const { nodeId, proof } = await panel.requestPublic(joinNode, { body })
        if (proof !== getProof(secret, enrolledText(nonce)))
          throw new Error("The server at the panel's address does not know the join token.")
        await writeFileAtomic(path, `${nodeId}\n`)
        log.info({ nodeId }, 'this machine has joined the panel as a node')
        return nodeId
      } catch (error) {
        if (error instanceof Refusal && error.code === 'ErrTokenInvalid')
          throw new Error('The panel rejects the join token: it has expired, is used up or was revoked.', {
            cause: error,
          })
        log.warn({ err: error }, `failed to join the panel, retrying in ${Math.round(wait / 1000)} s`)
        await pause(wait)
      }
    }
  } finally {
    await panel.close()
  }
}

const getProof = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')
