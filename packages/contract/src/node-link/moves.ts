import { z } from 'zod/mini'
import { panelEndpoint, QueryFlag } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { Definition } from '../definitions/definition.ts'
import { Suspension } from '../servers/suspension.ts'

/** Names a move and its direction. */
const MoveToken = z.object({ move: z.string().check(z.minLength(1), z.maxLength(100)) })
const OfMove = z.extend(OnServer, MoveToken.shape)

/** What a node has of a server. */
export const MoveState = z.object({
  /** The clock of the node. */
  atMs: z.number(),
  /** While it cannot start there: the move. */
  sealed: z.optional(z.string()),
  /** While it is sealed: its definition as it was stored. Missing while its files arrive. */
  definition: z.optional(z.record(z.string(), z.unknown())),
  /** While it is not: its state, see `ServerStatus`. */
  state: z.optional(z.string()),
  /** The runtimes that it uses, such as Java. */
  runtimes: z.optional(z.array(z.string())),
  /** Whether it is to be started on another node: it runs or sleeps. */
  isStarted: z.optional(z.boolean()),
})
export type MoveState = z.infer<typeof MoveState>

/** Endpoints of a node with which the panel moves a server from node to node. */
export const moveEndpoints = {
  /** Throws what creating a server with this definition there throws. */
  checkMovedServer: panelEndpoint('POST', '/daemon/server/:id/move/check', { params: OnServer, body: Definition }),
  getMoveState: panelEndpoint('GET', '/daemon/server/:id/move', { params: OnServer, response: MoveState }),
  /** A server that is offline cannot start there any more, also after a restart of the node. Throws ErrServerBusy. */
  sealServer: panelEndpoint('PUT', '/daemon/server/:id/move/:move/seal', { params: OfMove }),
  /** It can start again. */
  openServer: panelEndpoint('DELETE', '/daemon/server/:id/move/:move/seal', { params: OfMove }),
  /** Stores the definition and the suspension with which a server that arrives will be opened. */
  putMovedDefinition: panelEndpoint('PUT', '/daemon/server/:id/move/:move/definition', {
    params: OfMove,
    body: z.object({ definition: z.record(z.string(), z.unknown()), suspension: z.nullable(Suspension) }),
  }),
  /** What the node has: a line `[path, state]` for each entry. */
  listMovedFiles: panelEndpoint('GET', '/daemon/server/:id/move/files', {
    params: OnServer,
    response: z.unknown(),
    stream: 'response',
  }),
  /**
   * What another node lacks that has this list; `since` is the time of the node when the move began. The header
   * `Innkeeper-Bytes` has the size of the files.
   */
  exportChanges: panelEndpoint('POST', '/daemon/server/:id/move/changes', {
    params: OnServer,
    query: z.object({ since: z.coerce.number() }),
    response: z.unknown(),
    stream: 'request',
    responseHeaders: { 'Innkeeper-Bytes': 'The size of the files.' },
  }),
  /** Receives them. With `final` everything must be the same at the end, else ErrCopyDiffers. */
  importChanges: panelEndpoint('PUT', '/daemon/server/:id/move/:move/changes', {
    params: OfMove,
    query: z.object({ final: QueryFlag }),
    response: z.object({ files: z.number(), bytes: z.number() }),
    stream: 'request',
  }),
  /** Deletes what the node has of the server. Does nothing when there is nothing. */
  deleteMovedServer: panelEndpoint('DELETE', '/daemon/server/:id/move/:move', { params: OfMove }),
}
