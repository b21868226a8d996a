import { type Credential, credentialKey, type Principal } from '../access/principal.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { type ClientsService, type ClientToken, isOAuthToken } from './clients.ts'

interface Deps {
  readonly sessions: Pick<SessionsService, 'resolve' | 'resolveUncached'>
  readonly clients: Pick<ClientsService, 'resolve' | 'resolveUncached'>
}

/** Resolves tokens of sessions and OAuth2 clients. */
export function tokenResolver({ sessions, clients }: Deps) {
  return {
    resolve: (token: string, address: string): Promise<Principal | undefined> =>
      isOAuthToken(token) ? clients.resolve(token, address) : sessions.resolve(token),

    /** Resolves credentials without a cache; those that ended are omitted. */
    async resolveUncached(credentials: readonly Credential[]): Promise<Principal[]> {
      const ofUsers = new Set<string>()
      const ofClients = new Map<string, ClientToken>()
      for (const credential of credentials) {
        const { sessionId: id, client } = credential
        if (client) ofClients.set(credentialKey(credential), { id, address: client.address })
        else ofUsers.add(id)
      }
      const live: Principal[] = []
      if (ofUsers.size > 0) live.push(...(await sessions.resolveUncached([...ofUsers])))
      if (ofClients.size > 0) live.push(...(await clients.resolveUncached([...ofClients.values()])))
      return live
    },
  }
}
