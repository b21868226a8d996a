import { randomBytes } from 'node:crypto'
import { getOidcPurpose, type OidcPurpose } from '@innkeeper/contract/accounts/oidc'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { affectsRows } from '../database/rows.ts'
import type { Database, OidcRequestRow } from '../database/schema.ts'
import { hashToken, newToken } from '../security/secrets.ts'
import type { AuthorizationChecks } from './client.ts'

export const oidcRequestLifetimeMs = 600_000

/** What a request belongs to: to whoever has the token of a browser, or to a session. */
export interface RequestOwner {
  readonly purpose: OidcPurpose
  /** The hash of the browser's token, or the ID of the session. */
  readonly startedBy: string
}

/** Sign-ins and links that wait for the redirect from a provider. */
export function oidcRequests({ db, now }: { readonly db: Database; readonly now: () => number }) {
  return {
    async issue(providerId: string, owner: RequestOwner, redirectUrl: string): Promise<AuthorizationChecks> {
      const at = now()
      const checks = {
        state: `${owner.purpose}.${newToken()}`,
        nonce: newToken(),
        codeVerifier: randomBytes(48).toString('base64url'),
        redirectUrl,
      }
      await db.deleteFrom('oidc_requests').where('expires_at', '<=', at).execute()
      const row: OidcRequestRow = {
        id: hashToken(checks.state),
        provider_id: providerId,
        purpose: owner.purpose,
        started_by: owner.startedBy,
        nonce: checks.nonce,
        code_verifier: checks.codeVerifier,
        redirect_url: redirectUrl,
        expires_at: at + oidcRequestLifetimeMs,
      }
      await db.insertInto('oidc_requests').values(row).execute()
      return checks
    },

    /**
     * Uses up a request before its code is exchanged: of several redirects with the same state one gets further, on any
     * panel.
     * @throws ErrOidcExpired
     */
    async consume(
      query: string,
      { purpose, startedBy }: RequestOwner,
    ): Promise<{ readonly providerId: string; readonly checks: AuthorizationChecks }> {
      const state = new URLSearchParams(query).get('state') ?? ''
      if (getOidcPurpose(state) !== purpose) throw new Refusal('ErrOidcExpired')
      const id = hashToken(state)
      const waiting = db.selectFrom('oidc_requests').selectAll().where('id', '=', id).where('purpose', '=', purpose)
      const row = await waiting.where('started_by', '=', startedBy).where('expires_at', '>', now()).executeTakeFirst()
      const isFirst = row !== undefined && (await affectsRows(db.deleteFrom('oidc_requests').where('id', '=', id)))
      if (!isFirst) throw new Refusal('ErrOidcExpired')
      const { provider_id: providerId, nonce, code_verifier: codeVerifier, redirect_url: redirectUrl } = row
      return { providerId, checks: { state, nonce, codeVerifier, redirectUrl } }
    },
  }
}
