import { z } from 'zod/mini'
import { NodePlannedJob } from './backup-plan.ts'
import { Definition } from './definition.ts'
import { knownItems } from './known-items.ts'
import { BackupUsage } from './node-backups.ts'
import { PortInUse, ServerPort } from './node-ports.ts'
import { QueryFlag } from './query-flag.ts'
import { ReportedUsage } from './servers.ts'
import { UnregisteredServer } from './unregistered-servers.ts'

/** Programs that a node checks in one request. */
const maxPrograms = 100

/**
 * Endpoints that only the panel calls: its ticket is for the node (`nodeTicket`), not for a user's permission on a
 * server.
 */
export const panelOnlyEndpoints = {
  features: { method: 'GET', path: '/daemon/features' },
  /** Checks the requirements and writes the definition; fails when the ID exists. With `start` it installs and starts it. */
  create: { method: 'PUT', path: '/daemon/server/:id', query: z.object({ start: QueryFlag }), body: Definition },
  /** Kills the process, runs the uninstall steps, and removes files and definition. */
  remove: { method: 'DELETE', path: '/daemon/server/:id' },
  /** `?ids=a,b`: status and stats of several servers; unknown IDs are omitted. */
  usage: { method: 'GET', path: '/daemon/usage', response: knownItems(ReportedUsage) },
  /** All servers of the node. */
  servers: { method: 'GET', path: '/daemon/servers', response: knownItems(UnregisteredServer) },
  /** The space of backups. */
  backupUsage: { method: 'GET', path: '/daemon/backups', response: knownItems(BackupUsage) },
  /** The next backup jobs, soonest first. */
  backupPlan: { method: 'GET', path: '/daemon/backups/plan', response: knownItems(NodePlannedJob) },
  /** Listening sockets of the machine. */
  portsInUse: { method: 'GET', path: '/daemon/ports', response: knownItems(PortInUse) },
  /** The ports in the variables of all servers, also of those that are offline. */
  serverPorts: { method: 'GET', path: '/daemon/ports/servers', response: knownItems(ServerPort) },
  /** Entries of `requirements.binaries` that no installed program satisfies. */
  missingPrograms: {
    method: 'POST',
    path: '/daemon/programs',
    body: z.object({ programs: z.array(z.string().check(z.maxLength(500))).check(z.maxLength(maxPrograms)) }),
    response: z.object({ missing: z.array(z.string()) }),
  },
} as const
