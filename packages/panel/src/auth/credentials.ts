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

    /** Whom the credential of a caller speaks for at this moment, past every cache; `undefined` when it ended. */
    current: ({ client, sessionId }: Pick<Caller, 'client' | 'sessionId'>): Promise<Caller | undefined> =>
      client ? clients.current(sessionId) : sessions.current(sessionId),
  }
}
