import { z } from 'zod/mini'
import type { RequiredPermission } from '../api/permissions.ts'
import type { ReportedError } from '../errors/refusal-envelope.ts'
import { limits } from '../text/limits.ts'
import { type FileEntry, FilePath } from './files.ts'
import type { ServerStats, ServerStatus } from './status.ts'

/** Terminal size until a viewer sets it. */
const defaultCols = 120
const defaultRows = 30

/**
 * The live socket `/proxy/daemon/socket/{id}`: one JSON object per text frame.
 *
 * Console output has positions: bytes (UTF-8) since the server's console began. They keep growing over restarts of
 * server and node. A client that requests `replay` from its last position gets every byte exactly once; a jump forward
 * means that bytes were dropped.
 */

/** Messages from the client. `type` and `action` are case-insensitive. */
export const ClientMessage = z.discriminatedUnion('type', [
  /** Requests console output from position `from`, or all that is buffered. */
  z.looseObject({ type: z.literal('replay'), from: z.optional(z.int().check(z.minimum(0))) }),
  z.looseObject({ type: z.literal('status') }),
  z.looseObject({ type: z.literal('stat') }),
  z.looseObject({ type: z.literal('ping') }),
  z.looseObject({ type: z.literal('console'), command: z.string().check(z.maxLength(limits.commandBytes)) }),
  z.looseObject({ type: z.literal('start') }),
  z.looseObject({ type: z.literal('stop') }),
  z.looseObject({ type: z.literal('kill') }),
  z.looseObject({ type: z.literal('restart') }),
  z.looseObject({ type: z.literal('install') }),
  z.looseObject({ type: z.literal('reload') }),
  /**
   * Opens or closes the terminal for this viewer. While it is open, the server sends its size in `terminal` messages.
   */
  z.looseObject({ type: z.literal('terminal'), open: z.boolean() }),
  /** Opens the terminal and sets its size, which applies to all viewers until another one sets it. */
  z.looseObject({
    type: z.literal('resize'),
    cols: z.int().check(z.minimum(limits.terminalColsMin), z.maximum(limits.terminalColsMax)),
    rows: z.int().check(z.minimum(limits.terminalRowsMin), z.maximum(limits.terminalRowsMax)),
  }),
  /** Terminal input: keystrokes as a terminal encodes them; no line break is added. */
  z.looseObject({ type: z.literal('input'), data: z.string().check(z.maxLength(limits.terminalInputLength)) }),
  /**
   * Lists a folder or, with `edit`, reads a file; creates a folder; deletes a file or folder. The response is a `file`
   * message.
   */
  z.looseObject({
    type: z.literal('file'),
    action: z.pipe(
      z.pipe(
        z.string().check(z.maxLength(10)),
        z.transform((action) => action.toLowerCase()),
      ),
      z.enum(['get', 'create', 'delete']),
    ),
    path: FilePath,
    edit: z.optional(z.boolean()),
  }),
])
export type ClientMessage = z.infer<typeof ClientMessage>
export type FileMessage = Extract<ClientMessage, { type: 'file' }>

/** The permission that each message requires; without it the response is an `error` message. */
export const permissionOfMessage = {
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
} as const satisfies Record<ClientMessage['type'], RequiredPermission>

/** The permission that this message requires: changing files requires another one than reading them. */
export function permissionFor(message: ClientMessage): RequiredPermission {
  if (message.type === 'file' && message.action !== 'get') return 'putServerFiles'
  return permissionOfMessage[message.type]
}

/** The permission required to receive each message; without it the message is not sent. */
export const permissionToReceive = {
  console: 'viewServerConsole',
  status: 'viewServer',
  stat: 'viewServerStats',
} as const satisfies Record<string, RequiredPermission>

/** All permissions that decide about messages: those that a ticket for the socket names. */
export const socketPermissions: ReadonlySet<RequiredPermission> = new Set([
  ...Object.values(permissionOfMessage),
  ...Object.values(permissionToReceive),
  'putServerFiles',
])

/** Terminal size in characters. */
export interface TerminalSize {
  readonly cols: number
  readonly rows: number
}

/** The size until a viewer sets one. */
export const defaultTerminalSize: TerminalSize = { cols: defaultCols, rows: defaultRows }

export interface ConsoleOutput {
  /** Raw text with ANSI sequences, split at any byte. */
  readonly logs: readonly string[]
  /** When it was printed, in whole epoch seconds. */
  readonly epoch: number
  /** Positions of the first byte and of the byte after the last. */
  readonly from: number
  readonly to: number
}

/**
 * Response to `file`. A listing has its `path` and, unless it is empty, `files`. A file has `contents` (base64; absent
 * when empty) or, when it is too large or not requested, a `url` to download it from. `error` has the reason of a
 * failure.
 */
export interface FileResponse {
  readonly path: string
  readonly files?: readonly FileEntry[]
  readonly name?: string
  readonly contents?: string
  readonly url?: string
  readonly error?: string
}

/** Messages from the node. */
export type ServerMessage =
  | { readonly type: 'console'; readonly data: ConsoleOutput }
  /** Response to `replay`, before the output: the range of the buffered output. */
  | { readonly type: 'replay'; readonly data: { readonly from: number; readonly to: number } }
  | { readonly type: 'status'; readonly data: ServerStatus }
  | { readonly type: 'stat'; readonly data: ServerStats }
  /** The size of the server's terminal, for viewers who have it open: when they open it, and when it changes. */
  | { readonly type: 'terminal'; readonly data: TerminalSize }
  | { readonly type: 'file'; readonly data: FileResponse }
  | { readonly type: 'pong'; readonly data: Record<string, never> }
  /** From the panel: the viewer has permissions that it lacked when the socket was opened. */
  | { readonly type: 'permissions'; readonly data: Record<string, never> }
  | { readonly type: 'error'; readonly data: ReportedError }

/** WebSocket close codes of live sockets: standard codes and codes of the private range. */
export const closeCodes = { revoked: 4401, deleted: 4404, goingAway: 1001, tooManyMessages: 1008 } as const

/** Prefix of console lines written by the daemon. */
export const daemonPrefix = '[DAEMON] '
