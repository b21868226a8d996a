import type { Caller } from '../access/caller.ts'
import { type ClientsService, isClientToken } from '../oauth2/clients.ts'
import type { SessionsService } from './sessions.ts'

interface Needs {
  readonly sessions: Pick<SessionsService, 'callerOf' | 'current'>
  readonly clients: Pick<ClientsService, 'callerOf' | 'current'>
}

export type Credentials = ReturnType<typeof credentials>

/** Whom a token speaks for, whatever it is a token of. */
export function credentials({ sessions, clients }: Needs) {
  return {
    callerOf: (token: string): Promise<Caller | undefined> =>
      isClientToken(token) ? clients.callerOf(token) : sessions.callerOf(token),

    /** Whom the credentials of some callers speak for now, past every cache; those that ended are not among them. */
    async current(callers: readonly Pick<Caller, 'client' | 'sessionId'>[]): Promise<Caller[]> {
      const [ofPeople, ofClients] = [new Set<string>(), new Set<string>()]
      for (const { client, sessionId } of callers) (client ? ofClients : ofPeople).add(sessionId)
      const live = []
      if (ofPeople.size > 0) live.push(...(await sessions.current([...ofPeople])))
      if (ofClients.size > 0) live.push(...(await clients.current([...ofClients])))
      return live
    },
  }
}
