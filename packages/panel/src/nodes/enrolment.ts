import { createHmac } from 'node:crypto'
import { type Enrolment, enrolledText, enrolmentText } from '@innkeeper/contract/node-to-panel'
import type { NodeDeployment } from '@innkeeper/contract/nodes'
import { Refusal } from '@innkeeper/contract/refusals'
import { type Acting, enact } from '../access/acting.ts'
import { isSame } from '../auth/secrets.ts'
import { neighbourhoodOf, type TriesService } from '../auth/tries.ts'
import { insertIfAbsent } from '../database/rows.ts'
import type { Database, NodeRow } from '../database/schema.ts'
import type { NodeDirectory } from './directory.ts'
import type { SigningKeys } from './signing-keys.ts'

interface Needs {
  readonly db: Database
  readonly directory: NodeDirectory
  readonly tries: TriesService
  readonly keys: Pick<SigningKeys, 'signing'>
  readonly now: () => number
}

export type EnrolmentService = ReturnType<typeof enrolmentService>

/** Wrong secrets from one address within a window. */
const triesPerAddress = 60

/** How a machine becomes a node: a secret that is carried there once, and a key that it makes for itself. */
export function enrolmentService({ db, directory, tries, keys, now }: Needs) {
  async function rowOf(nodeId: number): Promise<NodeRow> {
    const row = await db.selectFrom('nodes').selectAll().where('id', '=', nodeId).executeTakeFirst()
    if (!row) throw new Refusal('ErrNotFound')
    return row
  }

  return {
    /** What its configuration says. The secret is shown until the node has joined with it. */
    async deployment(nodeId: number, panelUrl: string, acting: Acting): Promise<NodeDeployment> {
      const row = await rowOf(nodeId)
      const clientSecret = row.joined_at === null ? row.secret : ''
      if (clientSecret === '') acting.nothing()
      else acting.about({ target: `${row.name} (${row.id})` })
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

    /** Takes the key of whoever knows the secret: once, and again for the same key if the answer was lost. */
    async enrol(given: Enrolment, address: string, acting: Acting): Promise<{ proof: string }> {
      const trying = { what: `enrol ${neighbourhoodOf(address)}`, most: triesPerAddress }
      await tries.count([trying])
      const row = await db.selectFrom('nodes').selectAll().where('id', '=', given.nodeId).executeTakeFirst()
      if (!row || !isSame(given.proof, proofOf(row.secret, enrolmentText(given)))) throw new Refusal('ErrTokenInvalid')
      const jwk = JSON.stringify({ kty: 'OKP', crv: 'Ed25519', x: given.key })
      acting.about({ target: `${row.name} (${row.id})` })
      await enact(acting, db, async (transaction) => {
        // First of all, so that two who join at once, or one and a new secret, come one after the other.
        const { numUpdatedRows } = await transaction
          .updateTable('nodes')
          .set({ joined_at: now(), certificate: given.certificate })
          .where('id', '=', row.id)
          .where('secret', '=', row.secret)
          .executeTakeFirst()
        if (numUpdatedRows === 0n) throw new Refusal('ErrTokenInvalid')
        const key = { node_id: row.id, jwk, created_at: now() }
        if (await insertIfAbsent(transaction, 'node_keys', key)) return
        // Whoever finds the configuration later cannot take the place of the node.
        const known = transaction.selectFrom('node_keys').select('node_id').where('node_id', '=', row.id)
        if (!(await known.where('jwk', '=', jwk).executeTakeFirst())) throw new Refusal('ErrTokenInvalid')
      })
      directory.forget()
      await tries.takeBack([trying])
      return { proof: proofOf(row.secret, enrolledText(given.nonce)) }
    },
  }
}

const proofOf = (secret: string, text: string): string => createHmac('sha256', secret).update(text).digest('base64url')
