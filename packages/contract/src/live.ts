import { z } from 'zod'
import { type FileEntry, FilePath } from './files.ts'
import { limits } from './limits.ts'
import type { ServerRight } from './permissions.ts'
import type { RefusalMetadata } from './refusals.ts'
import type { ServerStats, ServerStatus } from './status.ts'

/**
 * The live socket `/proxy/daemon/socket/{id}`: one JSON object per text frame.
 *
 * Console output has positions: bytes (UTF-8) since the server's console began, growing for ever, also over restarts of
 * server and node. A client that knows its position asks `replay` from there and so misses and doubles nothing; a jump
 * forward means that the bytes between were dropped.
 */

/** What a client may send. `type` and `action` in any letter case. */
export const ClientMessage = z.discriminatedUnion('type', [
  /** Sends the console from position `from`, or all that is held. */
  z.looseObject({ type: z.literal('replay'), from: z.number().int().min(0).optional() }),
  z.looseObject({ type: z.literal('status') }),
  z.looseObject({ type: z.literal('stat') }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('console'), command: z.string().max(limits.commandBytes) }),
  z.looseObject({ type: z.literal('start') }),
  z.looseObject({ type: z.literal('stop') }),
  z.looseObject({ type: z.literal('kill') }),
  z.looseObject({ type: z.literal('restart') }),
  z.looseObject({ type: z.literal('install') }),
  z.looseObject({ type: z.literal('reload') }),
  /** Opens or closes the viewer's terminal. While it is open, its size is sent with `terminal` messages. */
  z.looseObject({ type: z.literal('terminal'), open: z.boolean() }),
  /** Opens the viewer's terminal and sets its size: that of the program until another viewer sets one. */
  z.looseObject({
    type: z.literal('resize'),
    cols: z.number().int().min(limits.terminalColsMin).max(limits.terminalColsMax),
    rows: z.number().int().min(limits.terminalRowsMin).max(limits.terminalRowsMax),
  }),
  /** Types into the terminal: keystrokes as a terminal encodes them, without a line break of its own. */
  z.looseObject({ type: z.literal('input'), data: z.string().max(limits.terminalInputLength) }),
  /** Lists a folder or, with `edit`, sends a file; makes a folder; deletes a file or folder. All answered with `file`. */
  z.looseObject({
    type: z.literal('file'),
    action: z
      .string()
      .max(10)
      .transform((action) => action.toLowerCase())
      .pipe(z.enum(['get', 'create', 'delete'])),
    path: FilePath,
    edit: z.boolean().optional(),
  }),
])
export type ClientMessage = z.infer<typeof ClientMessage>
export type FileMessage = Extract<ClientMessage, { type: 'file' }>

/** The right each message needs; a missing one is answered with an `error` message. */
export const rightOfMessage = {
  replay: 'viewServerConsole',
  status: 'viewServer',
  stat: 'viewServerStats',
  ping: 'viewServer',
  console: 'sendServerConsole',
  start: 'startServer',
  stop: 'stopServer',
  kill: 'stopServer',
  restart: 'startServer',
  install: 'installServer',
  reload: 'admin',
  terminal: 'viewServerConsole',
  resize: 'sendServerConsole',
  input: 'sendServerConsole',
  file: 'viewServerFiles',
} as const satisfies Record<ClientMessage['type'], ServerRight>

/** The right that this very message needs: to change files takes another one than to see them. */
export function rightFor(message: ClientMessage): ServerRight {
  if (message.type === 'file' && message.action !== 'get') return 'putServerFiles'
  return rightOfMessage[message.type]
}

/** The right that each message pushed to a viewer needs; without it the message is not sent. */
export const rightToReceive = {
  console: 'viewServerConsole',
  status: 'viewServer',
  stat: 'viewServerStats',
} as const satisfies Record<string, ServerRight>

/** The size of a terminal in characters. */
export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

/** The size while no viewer has set one. */
export const defaultTerminalSize: TerminalSize = { cols: limits.terminalCols, rows: limits.terminalRows }

export interface ConsoleOutput {
  /** Raw text with ANSI, split anywhere. */
  readonly logs: readonly string[]
  /** When it was printed, whole epoch seconds. */
  readonly epoch: number
  /** Position of the first byte, and behind the last. */
  readonly from: number
  readonly to: number
}

/**
 * Answer to `file`. A listing has its `path` and, unless it is empty, `files`. Of a file there are `contents` (base64; none
 * when it is empty) or, when it is too large or not asked for, a `url`: the path to download it from. `error` says why not.
 */
export interface FileAnswer {
  readonly path: string
  readonly files?: readonly FileEntry[]
  readonly name?: string
  readonly contents?: string
  readonly url?: string
  readonly error?: string
}

/** What the node sends. */
export type ServerMessage =
  | { readonly type: 'console'; readonly data: ConsoleOutput }
  /** Answer to `replay`, before the output: what is held, and so what the client can expect. */
  | { readonly type: 'replay'; readonly data: { readonly from: number; readonly to: number } }
  | { readonly type: 'status'; readonly data: ServerStatus }
  | { readonly type: 'stat'; readonly data: ServerStats }
  /** The size of the server's terminal, for viewers who have it open: when they open it, and when it changes. */
  | { readonly type: 'terminal'; readonly data: TerminalSize }
  | { readonly type: 'file'; readonly data: FileAnswer }
  | { readonly type: 'pong'; readonly data: Record<string, never> }
  | { readonly type: 'error'; readonly data: { readonly code: string; readonly metadata?: RefusalMetadata } }

/** Reasons with which a node or panel closes a live socket: standard WebSocket close codes, and some of the private range. */
export const closeCodes = { revoked: 4401, deleted: 4404, goingAway: 1001, tooManyMessages: 1008 } as const

/** What the daemon itself says in a console starts with this; the rest of the line is its message. */
export const daemonPrefix = '[DAEMON] '
