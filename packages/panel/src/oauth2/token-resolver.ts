import type { Principal } from '../access/principal.ts'
import type { SessionsService } from '../auth/sessions.ts'
import { type ClientsService, isOAuthToken } from './clients.ts'

interface Deps {
  readonly sessions: Pick<SessionsService, 'resolve' | 'resolveUncached'>
  readonly clients: Pick<ClientsService, 'resolve' | 'resolveUncached'>
}

/** Resolves tokens of sessions and OAuth2 clients. */
export function tokenResolver({ sessions, clients }: Deps) {
  return {
    resolve: (token: string): Promise<Principal | undefined> =>
      isOAuthToken(token) ? clients.resolve(token) : sessions.resolve(token),

    /** Resolves the credentials of principals without a cache; those that ended are omitted. */
    async resolveUncached(principals: readonly Pick<Principal, 'client' | 'sessionId'>[]): Promise<Principal[]> {
      const [ofUsers, ofClients] = [new Set<string>(), new Set<string>()]
      for (const { client, sessionId } of principals) (client ? ofClients : ofUsers).add(sessionId)
      const live = []
      if (ofUsers.size > 0) live.push(...(await sessions.resolveUncached([...ofUsers])))
      if (ofClients.size > 0) live.push(...(await clients.resolveUncached([...ofClients])))
      return live
    },
  }
}
