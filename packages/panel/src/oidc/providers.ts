import { randomUUID } from 'node:crypto'
import {
  type OidcProvider,
  type OidcProviderChange,
  type OidcProviderInput,
  oidcPage,
} from '@innkeeper/contract/accounts/oidc'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { OidcProviderName } from '@innkeeper/contract/settings/panel'
import { limits } from '@innkeeper/contract/text/limits'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { RecentLogin } from '../access/principal.ts'
import { affectsRows, lock } from '../database/rows.ts'
import type { Database, OidcProviderRow } from '../database/schema.ts'
import { getVersion, requireCurrent } from '../database/versions.ts'
import type { SettingsService } from '../settings/settings.ts'
import type { OidcClient } from './client.ts'

interface Deps {
  readonly db: Database
  readonly client: Pick<OidcClient, 'mayHave'>
  readonly settings: Pick<SettingsService, 'masterUrl'>
  readonly now: () => number
}

export type OidcProviders = ReturnType<typeof oidcProviders>

/** The providers of OpenID Connect that administrators have set up. */
export function oidcProviders({ db, client, settings, now }: Deps) {
  /** The address to which providers redirect. */
  async function redirectUrl(): Promise<string | undefined> {
    const master = await settings.masterUrl()
    return master === undefined ? undefined : `${trimEnd(master, '/')}${oidcPage}`
  }

  const byName = () => db.selectFrom('oidc_providers').selectAll().orderBy('name').orderBy('id').execute()

  return {
    /** @throws ErrSettingNotConfigured without a master URL */
    async requireRedirectUrl(): Promise<string> {
      const url = await redirectUrl()
      if (url === undefined) throw new Refusal('ErrSettingNotConfigured', { setting: 'panel.settings.masterUrl' })
      return url
    },

    /** What the sign-in page offers: nothing without a master URL. */
    async names(): Promise<OidcProviderName[]> {
      if ((await redirectUrl()) === undefined) return []
      return (await byName()).map(({ id, name }) => ({ id, name }))
    },

    async list(): Promise<OidcProvider[]> {
      const redirect = await redirectUrl()
      return (await byName()).map((row) => toView(row, redirect))
    },

    /** @throws ErrNotFound */
    async get(id: string): Promise<OidcProviderRow> {
      const row = await db.selectFrom('oidc_providers').selectAll().where('id', '=', id).executeTakeFirst()
      if (!row) throw new Refusal('ErrNotFound')
      return row
    },

    async create(input: OidcProviderInput, recentLogin: RecentLogin, audit: AuditContext): Promise<OidcProvider> {
      requireAllowed(client, input)
      audit.setSubject({ target: input.name })
      const row: OidcProviderRow = {
        id: randomUUID(),
        ...getColumns(input),
        client_secret: input.clientSecret,
        created_at: now(),
      }
      await auditedTransaction(audit, db, async (transaction) => {
        await recentLogin(transaction)
        await lock(transaction, 'oidc providers')
        const rows = await transaction.selectFrom('oidc_providers').select('id').execute()
        if (rows.length >= limits.oidcProviders) throw new Refusal('ErrTooMany', { max: limits.oidcProviders })
        await transaction.insertInto('oidc_providers').values(row).execute()
      })
      return toView(row, await redirectUrl())
    },

    /** Keeps the secret when there is no new one, but never for another issuer or client. */
    async replace(
      id: string,
      input: OidcProviderChange,
      recentLogin: RecentLogin,
      audit: AuditContext,
      expectedVersion: string | undefined,
    ): Promise<void> {
      requireAllowed(client, input)
      audit.setSubject({ target: input.name })
      await auditedTransaction(audit, db, async (transaction) => {
        await recentLogin(transaction)
        await lock(transaction, 'oidc providers')
        const query = transaction.selectFrom('oidc_providers').selectAll().where('id', '=', id)
        const before = await query.executeTakeFirst()
        if (!before) throw new Refusal('ErrNotFound')
        requireCurrent(expectedVersion, getSettings(before))
        const isOther = before.issuer !== input.issuer || before.client_id !== input.clientId
        if (isOther && input.clientSecret === undefined)
          throw new Refusal('ErrFieldRequired', { field: 'clientSecret' })
        const secret = input.clientSecret === undefined ? {} : { client_secret: input.clientSecret }
        const update = transaction.updateTable('oidc_providers').set({ ...getColumns(input), ...secret })
        await update.where('id', '=', id).execute()
      })
    },

    async remove(id: string, recentLogin: RecentLogin, audit: AuditContext): Promise<void> {
      await auditedTransaction(audit, db, async (transaction) => {
        await recentLogin(transaction)
        const query = transaction.selectFrom('oidc_providers').select('name').where('id', '=', id)
        audit.setSubject({ target: (await query.executeTakeFirst())?.name })
        const deletion = transaction.deleteFrom('oidc_providers').where('id', '=', id)
        if (!(await affectsRows(deletion))) throw new Refusal('ErrNotFound')
      })
    },
  }
}

function requireAllowed(client: Pick<OidcClient, 'mayHave'>, { issuer }: OidcProviderChange): void {
  if (!client.mayHave(new URL(issuer))) throw new Refusal('ErrFieldInvalid', { field: 'issuer' })
}

function getColumns({ name, issuer, clientId, scopes, createsAccounts, isTwoFactor }: OidcProviderChange) {
  return {
    name,
    issuer,
    client_id: clientId,
    scopes,
    creates_accounts: createsAccounts ? 1 : 0,
    is_two_factor: isTwoFactor ? 1 : 0,
  }
}

function getSettings(row: OidcProviderRow) {
  const { name, issuer, client_id: clientId, scopes, creates_accounts, is_two_factor } = row
  return { name, issuer, clientId, scopes, createsAccounts: creates_accounts === 1, isTwoFactor: is_two_factor === 1 }
}

function toView(row: OidcProviderRow, redirectUrl: string | undefined): OidcProvider {
  const settings = getSettings(row)
  return { id: row.id, ...settings, version: getVersion(settings), ...(redirectUrl !== undefined && { redirectUrl }) }
}
