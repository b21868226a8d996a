import { createHmac } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { type Enrolment, enrolledText, enrolmentText } from '@innkeeper/contract/node-link/node-to-panel'
import type { NodeDeployment } from '@innkeeper/contract/nodes/nodes'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { affectsRows, insertIfAbsent } from '../database/rows.ts'
import type { Database, NodeRow } from '../database/schema.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import { timingSafeEqual } from '../security/secrets.ts'
import type { NodeRepository } from './node-repository.ts'
import type { SigningKeys } from './signing-keys.ts'

interface Deps {
  readonly db: Database
  readonly repository: NodeRepository
  readonly limiter: RateLimiter
  readonly keys: Pick<SigningKeys, 'signing'>
  readonly now: () => number
}

export type EnrolmentService = ReturnType<typeof enrolmentService>

/** Wrong secrets per address and window. */
const attemptsPerAddress = 60

/** Enrolment of nodes: an administrator copies a secret to the machine, which generates its own key. */
export function enrolmentService({ db, repository, limiter, keys, now }: Deps) {
  async function readRow(nodeId: number): Promise<NodeRow> {
    const row = await db.selectFrom('nodes').selectAll().where('id', '=', nodeId).executeTakeFirst()
    if (!row) throw new Refusal('ErrNotFound')
    return row
  }

  return {
    /** The node's configuration. The secret is included until the node has joined. */
    async deployment(nodeId: number, panelUrl: string, audit: AuditContext): Promise<NodeDeployment> {
      const row = await readRow(nodeId)
      const clientSecret = row.joined_at === null ? row.secret : ''
      if (clientSecret === '') audit.skip()
      else audit.setSubject({ target: `${row.name} (${row.id})` })
      const publicKey = (await keys.signing()).publicJwk.x ?? ''
      const config = {
        role: 'node',
        dataDir: '/var/lib/innkeeper',
        panelUrl,
        panelKey: publicKey,
        nodeId,
        nodeSecret: clientSecret,
        nodePort: row.private_port,
        sftpPort: row.sftp_port,
      }
      return {
        clientId: `.node_${nodeId}`,
        clientSecret,
        publicKey,
        panelUrl,
        config: `${JSON.stringify(config, null, 2)}\n`,
      }
    },

    /** Stores the key of a node that proves the secret: once, and again for the same key if the response was lost. */
    async enrol(enrolment: Enrolment, address: string, audit: AuditContext): Promise<{ proof: string }> {
      const rateLimit = { key: `enrol ${clientSubnet(address)}`, max: attemptsPerAddress }
      await limiter.consume([rateLimit])
      const row = await db.selectFrom('nodes').selectAll().where('id', '=', enrolment.nodeId).executeTakeFirst()
      if (!row || !timingSafeEqual(enrolment.proof, getProof(row.secret, enrolmentText(enrolment))))
        throw new Refusal('ErrTokenInvalid')
      const jwk = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: enrolment.key })
      audit.setSubject({ target: `${row.name} (${row.id})` })
      await auditedTransaction(audit, db, async (transaction) => {
        // Locks the row first, so that concurrent enrolments and secret changes are serialized.
        const update = transaction
          .updateTable('nodes')
          .set({ joined_at: now(), certificate: enrolment.certificate })
          .where('id', '=', row.id)
          .where('secret', '=', row.secret)
        if (!(await affectsRows(update))) throw new Refusal('ErrTokenInvalid')
        const key = { node_id: row.id, jwk, created_at: now() }
        if (await insertIfAbsent(transaction, 'node_keys', key)) return
        // The secret is invalid afterwards, so that the configuration file is worthless to others.
        const known = transaction.selectFrom('node_keys').select('node_id').where('node_id', '=', row.id)
        if (!(await known.where('jwk', '=', jwk).executeTakeFirst())) throw new Refusal('ErrTokenInvalid')
      })
      repository.forget()
      await limiter.refund([rateLimit])
      return { proof: getProof(row.secret, enrolledText(enrolment.nonce)) }
    },
  }
}

const getProof = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')
