import { createHmac, randomBytes } from 'node:crypto'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import { enrolledText, type NodeJoin, nodeJoinText } from '@innkeeper/contract/node-link/node-to-panel'
import type { JoinToken } from '@innkeeper/contract/nodes/join-tokens'
import { getNodeName } from '@innkeeper/contract/nodes/node-name'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import { affectsRows, lock, nextId } from '../database/rows.ts'
import type { Database, JoinTokenRow, NodeRow, Transaction } from '../database/schema.ts'
import type { RateLimiter } from '../security/rate-limiter.ts'
import { newToken, timingSafeEqual } from '../security/secrets.ts'
import type { NodeRepository } from './node-repository.ts'
import type { SigningKeys } from './signing-keys.ts'

interface Deps {
  readonly db: Database
  readonly repository: Pick<NodeRepository, 'forget'>
  readonly limiter: RateLimiter
  readonly keys: Pick<SigningKeys, 'signing'>
  readonly now: () => number
}

export interface NewJoinToken {
  readonly uses: number
  readonly hours: number
  readonly createdBy: string
  readonly panelUrl: string
}

export type JoinTokensService = ReturnType<typeof joinTokensService>

/** Wrong tokens per address and window. */
const attemptsPerAddress = 60

/** Tokens with which several machines register themselves, each with its own key. */
export function joinTokensService({ db, repository, limiter, keys, now }: Deps) {
  return {
    async list(): Promise<JoinToken[]> {
      const rows = await db
        .selectFrom('join_tokens')
        .selectAll()
        .where('expires_at', '>', now())
        .orderBy('created_at', 'desc')
        .execute()
      return rows.map(toJoinToken)
    },

    async create({ uses, hours, createdBy, panelUrl }: NewJoinToken, audit: AuditContext) {
      const [id, secret] = [randomBytes(6).toString('hex'), newToken()]
      audit.setSubject({ target: id })
      await auditedTransaction(audit, db, async (transaction) => {
        await transaction.deleteFrom('join_tokens').where('expires_at', '<=', now()).execute()
        const times = { created_at: now(), expires_at: now() + hours * 3_600_000 }
        const row = { id, secret, uses, uses_left: uses, created_by: createdBy, ...times }
        await transaction.insertInto('join_tokens').values(row).execute()
      })
      const token = `${id}.${secret}`
      const panelKey = (await keys.signing()).publicJwk.x ?? ''
      const config = { role: 'node', dataDir: '/var/lib/innkeeper', panelUrl, panelKey, joinToken: token }
      return { id, token, config: `${JSON.stringify(config, null, 2)}\n` }
    },

    async revoke(id: string, audit: AuditContext): Promise<void> {
      audit.setSubject({ target: id })
      await auditedTransaction(audit, db, async (transaction) => {
        const deletion = transaction.deleteFrom('join_tokens').where('id', '=', id)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
      })
    },

    /** Registers a machine that proves the token; again as the same node if the response was lost. */
    async join(join: NodeJoin, address: string, audit: AuditContext): Promise<{ nodeId: number; proof: string }> {
      const rateLimit = { key: `enrol ${clientSubnet(address)}`, max: attemptsPerAddress }
      await limiter.consume([rateLimit])
      const token = await db.selectFrom('join_tokens').selectAll().where('id', '=', join.tokenId).executeTakeFirst()
      if (
        !token ||
        token.expires_at <= now() ||
        !timingSafeEqual(join.proof, getProof(token.secret, nodeJoinText(join)))
      )
        throw new Refusal('ErrTokenInvalid')
      const nodeId = await auditedTransaction(audit, db, async (transaction) => {
        await lock(transaction, 'joining nodes')
        const node = (await findJoined(transaction, join)) ?? (await add(transaction, token, join, address))
        audit.setSubject({ target: `${node.name} (${node.id})` })
        return node.id
      })
      repository.forget()
      await limiter.refund([rateLimit])
      return { nodeId, proof: getProof(token.secret, enrolledText(join.nonce)) }
    },
  }

  async function add(
    transaction: Transaction,
    token: JoinTokenRow,
    join: NodeJoin,
    address: string,
  ): Promise<Pick<NodeRow, 'id' | 'name'>> {
    const use = transaction
      .updateTable('join_tokens')
      .set((column) => ({ uses_left: column('uses_left', '-', 1) }))
      .where('id', '=', token.id)
      .where('uses_left', '>', 0)
    if (!(await affectsRows(use))) throw new Refusal('ErrTokenInvalid')
    const taken = await transaction.selectFrom('nodes').select('name_key').execute()
    const name = getNodeName(join.name, new Set(taken.map(({ name_key }) => name_key)))
    const id = await nextId(transaction, 'nodes')
    await transaction
      .insertInto('nodes')
      .values({
        id,
        name,
        name_key: name.toLowerCase(),
        public_host: address,
        public_port: 8080,
        private_host: address,
        private_port: join.port,
        sftp_port: join.sftpPort,
        secret: newToken(),
        certificate: join.certificate,
        joined_at: now(),
        created_at: now(),
      })
      .execute()
    await transaction
      .insertInto('node_keys')
      .values({ node_id: id, jwk: getJwk(join), created_at: now() })
      .execute()
    return { id, name }
  }
}

/** The node of a machine whose key is known. */
async function findJoined(transaction: Transaction, join: NodeJoin): Promise<Pick<NodeRow, 'id' | 'name'> | undefined> {
  return await transaction
    .selectFrom('node_keys')
    .innerJoin('nodes', 'nodes.id', 'node_keys.node_id')
    .select(['nodes.id', 'nodes.name'])
    .where('node_keys.jwk', '=', getJwk(join))
    .where('nodes.certificate', '=', join.certificate)
    .executeTakeFirst()
}

const getJwk = ({ key }: NodeJoin): string => JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: key })

const getProof = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')

function toJoinToken(row: JoinTokenRow): JoinToken {
  return {
    id: row.id,
    usesLeft: row.uses_left,
    uses: row.uses,
    expiresAt: new Date(row.expires_at).toISOString(),
    createdAt: new Date(row.created_at).toISOString(),
    createdBy: row.created_by,
  }
}
