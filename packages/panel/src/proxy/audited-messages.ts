import type { RequiredPermission } from '@innkeeper/contract/api/permissions'
import { deleteFile, putFile } from '@innkeeper/contract/servers/files'
import { permissionOfMessage } from '@innkeeper/contract/servers/live'
import {
  installServer,
  killServer,
  reloadServer,
  restartServer,
  sendCommand,
  startServer,
  stopServer,
} from '@innkeeper/contract/servers/node-servers'
import { limits } from '@innkeeper/contract/text/limits'
import type { AuditedEndpoint } from '../activity/audit-recorder.ts'

/** The equivalent HTTP endpoints of messages. Other messages only read, or use the terminal. */
const equivalents = {
  console: sendCommand,
  start: startServer,
  stop: stopServer,
  kill: killServer,
  restart: restartServer,
  install: installServer,
  reload: reloadServer,
} as const
const fileEquivalents = new Map<unknown, AuditedEndpoint>([
  ['create', putFile],
  ['delete', deleteFile],
])

export interface AuditedAction {
  readonly call: AuditedEndpoint
  readonly permission: RequiredPermission
  readonly path?: unknown
  /** The console command. */
  readonly command?: string | undefined
}

/** Terminal input is not recorded, only that the terminal was opened. */
export const terminalAction: AuditedAction = {
  call: { path: sendCommand.path, audit: 'server.terminal' },
  permission: permissionOfMessage.input,
}

/** The audited action of a message; `undefined` for one that only reads. */
export function findAuditedAction(frame: string): AuditedAction | undefined {
  try {
    const message = JSON.parse(frame) as { type?: unknown; action?: unknown; path?: unknown; command?: unknown } | null
    const [type, action] = [message?.type ?? message?.action, message?.action].map((word) => String(word).toLowerCase())
    const file = type === 'file' ? fileEquivalents.get(action) : undefined
    if (type === 'resize' || type === 'input') return terminalAction
    if (file) return { call: file, permission: putFile.access.onServer, path: message?.path }
    if (!isWithEquivalent(type)) return undefined
    const command = type === 'console' ? String(message?.command ?? '').slice(0, limits.commandBytes) : undefined
    return { call: equivalents[type], permission: permissionOfMessage[type], command }
  } catch {
    // Invalid JSON is rejected by the node.
    return undefined
  }
}

function isWithEquivalent(type: string | undefined): type is keyof typeof equivalents {
  return type !== undefined && Object.hasOwn(equivalents, type)
}
