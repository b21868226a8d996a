import { clientSubnet } from '@innkeeper/contract/http/client-subnet'
import type { OAuthClientPrincipal, Principal } from '../access/principal.ts'
import type { AlertsService } from '../alerts/alerts.ts'
import { insertIfAbsent, runTransaction } from '../database/rows.ts'
import type { Database, Transaction } from '../database/schema.ts'
import type { MailService } from '../mail/mail.ts'

interface Deps {
  readonly db: Database
  readonly alerts: Pick<AlertsService, 'raise'>
  readonly mail: Pick<MailService, 'queue'>
  readonly now: () => number
}

/** The last use of a client is written at most once in this time. */
const writeEveryMs = 60_000
/** Clients and networks whose use is not written again until then. */
const maxRecent = 10_000

export type ClientNetworks = ReturnType<typeof clientNetworks>

/** Records when and from which networks clients are used. */
export function clientNetworks({ db, alerts, mail, now }: Deps) {
  /** When a use was written last, by client and network. */
  const recent = new Map<string, number>()

  async function reportNew(
    transaction: Transaction,
    { username, email, userId }: Principal,
    id: string,
    address: string,
  ): Promise<void> {
    const client = await transaction.selectFrom('oauth2_clients').select('name').where('id', '=', id).executeTakeFirst()
    const name = client?.name || id
    const detail = `The OAuth2 client ${name} of ${username} was used from ${address}`
    await alerts.raise(transaction, { type: 'newSignIn', subject: `${id} ${clientSubnet(address)}`, detail })
    await mail.queue(transaction, 'oauthNewNetwork', { to: email, userId }, { client: name, address })
  }

  return {
    /** Records a use. The first one from another network than before is reported to the owner and to administrators. */
    async use(principal: Principal & Pick<OAuthClientPrincipal, 'client'>, address: string): Promise<void> {
      const { id } = principal.client
      const network = clientSubnet(address)
      const [key, at] = [`${id} ${network}`, now()]
      const written = recent.get(key)
      if (written !== undefined && at - written < writeEveryMs && at >= written) return
      recent.delete(key)
      recent.set(key, at)
      if (recent.size > maxRecent) recent.delete(recent.keys().next().value ?? '')
      await runTransaction(db, async (transaction) => {
        await transaction.updateTable('oauth2_clients').set({ last_used_at: at }).where('id', '=', id).execute()
        const others = await transaction
          .selectFrom('oauth2_client_networks')
          .select('network')
          .where('client_id', '=', id)
          .limit(1)
          .execute()
        const row = { client_id: id, network, first_used_at: at }
        const isNew = await insertIfAbsent(transaction, 'oauth2_client_networks', row)
        if (isNew && others.length > 0) await reportNew(transaction, principal, id, address)
      })
    },
  }
}
