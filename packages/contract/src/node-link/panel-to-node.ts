import { z } from 'zod/mini'
import { ifMatch, panelEndpoint, QueryFlag } from '../api/endpoint.ts'
import { knownItems } from '../api/known-items.ts'
import { OnServer } from '../api/params.ts'
import { NodePlannedJob } from '../backups/backup-plan.ts'
import {
  BackupTargetIds,
  BackupTargetInput,
  BackupTargetTest,
  BackupTargetTestResult,
  NodeBackupTargets,
  RemoteTargetId,
} from '../backups/backup-targets.ts'
import { BackupId, BackupJob } from '../backups/backups.ts'
import { BackupUsage } from '../backups/node-backups.ts'
import { Definition, ServerDefinition } from '../definitions/definition.ts'
import { PortInUse, ServerPort } from '../nodes/node-ports.ts'
import { NodeFeatures } from '../nodes/nodes.ts'
import { UnregisteredServer } from '../nodes/unregistered-servers.ts'
import { ReportedUsage } from '../servers/servers.ts'
import { Suspension } from '../servers/suspension.ts'
import { ServerId } from '../text/server-id.ts'
import { moveEndpoints } from './moves.ts'
import { NodeSession } from './session.ts'

/** Programs that a node checks in one request. */
const maxPrograms = 100

const OnBackup = z.extend(OnServer, { backup: BackupId })
const OnTarget = z.object({ target: RemoteTargetId })

/** Endpoints of a node that only the panel calls. */
export const panelEndpoints = {
  /** The panel proves its identity with a ticket of its signing key; one of a session is not accepted. */
  openSession: panelEndpoint('POST', '/daemon/session', { response: NodeSession }),
  getFeatures: panelEndpoint('GET', '/daemon/features', { response: NodeFeatures }),
  /** Checks the requirements and writes the definition; fails when the ID exists. With `start` it installs and starts it. */
  createServer: panelEndpoint('PUT', '/daemon/server/:id', {
    params: OnServer,
    query: z.object({ start: QueryFlag }),
    body: Definition,
  }),
  /** Kills the process, runs the uninstall steps, and removes files and definition. */
  deleteServer: panelEndpoint('DELETE', '/daemon/server/:id', { params: OnServer }),
  /** Suspends a server, which stops it, or ends its suspension. */
  setSuspension: panelEndpoint('PUT', '/daemon/server/:id/suspension', {
    params: OnServer,
    body: z.object({ suspension: z.nullable(Suspension) }),
  }),
  /** `ids` separated by commas: status and stats of several servers; unknown IDs are omitted. */
  getUsage: panelEndpoint('GET', '/daemon/usage', {
    query: z.object({ ids: z.string().check(z.maxLength(1000)) }),
    response: knownItems(ReportedUsage),
  }),
  /** All servers of the node. */
  listServers: panelEndpoint('GET', '/daemon/servers', { response: knownItems(UnregisteredServer) }),
  /** Listening sockets of the machine. */
  listPortsInUse: panelEndpoint('GET', '/daemon/ports', { response: knownItems(PortInUse) }),
  /** The ports in the variables of all servers, also of those that are offline. */
  listServerPorts: panelEndpoint('GET', '/daemon/ports/servers', { response: knownItems(ServerPort) }),
  /** Entries of `requirements.binaries` that no installed program satisfies. */
  findMissingPrograms: panelEndpoint('POST', '/daemon/programs', {
    body: z.object({ programs: z.array(z.string().check(z.maxLength(500))).check(z.maxLength(maxPrograms)) }),
    response: z.object({ missing: z.array(z.string()) }),
  }),

  /** The space of backups by server. */
  getBackupUsage: panelEndpoint('GET', '/daemon/backups', { response: knownItems(BackupUsage) }),
  /** The next backup jobs, soonest first. */
  getBackupPlan: panelEndpoint('GET', '/daemon/backups/plan', { response: knownItems(NodePlannedJob) }),
  listBackupTargets: panelEndpoint('GET', '/daemon/backups/targets', { response: NodeBackupTargets }),
  createBackupTarget: panelEndpoint('POST', '/daemon/backups/targets', {
    body: BackupTargetInput,
    response: z.object({ id: RemoteTargetId }),
  }),
  editBackupTarget: panelEndpoint('PUT', '/daemon/backups/targets/:target', {
    params: OnTarget,
    body: BackupTargetInput,
    headers: ifMatch,
  }),
  deleteBackupTarget: panelEndpoint('DELETE', '/daemon/backups/targets/:target', { params: OnTarget }),
  testBackupTarget: panelEndpoint('POST', '/daemon/backups/test-target', {
    body: BackupTargetTest,
    response: BackupTargetTestResult,
  }),
  putDefaultBackupTargets: panelEndpoint('PUT', '/daemon/backups/default-targets', {
    body: BackupTargetIds,
    headers: ifMatch,
  }),

  /** For clones: the definition in a backup. Throws ErrBackupFailed when it has none. */
  getBackupDefinition: panelEndpoint('GET', '/daemon/server/:id/backup/definition/:backup', {
    params: OnBackup,
    response: ServerDefinition,
  }),
  /** The files of a backup as a tar. */
  exportBackup: panelEndpoint('GET', '/daemon/server/:id/backup/export/:backup', {
    params: OnBackup,
    response: z.unknown(),
    stream: 'response',
  }),
  /** Fills a new server of the same node with the files of a backup. */
  fillFromBackup: panelEndpoint('POST', '/daemon/server/:id/fill', {
    params: OnServer,
    body: z.object({ source: ServerId, backup: BackupId }),
    response: BackupJob,
    status: 202,
  }),
  /** Queues the job that fills a new server with the files of another node. While it runs, it waits for them. */
  queueImport: panelEndpoint('POST', '/daemon/server/:id/import', {
    params: OnServer,
    body: z.object({ backup: BackupId }),
    response: BackupJob,
    status: 202,
  }),
  /**
   * Sends the files to a running job, as a tar. Responds when they are all stored. Throws ErrNotFound when the job does
   * not run, and ErrTaskInterrupted when it can be repeated.
   */
  importFiles: panelEndpoint('PUT', '/daemon/server/:id/import/:job', {
    params: z.extend(OnServer, { job: z.string().check(z.maxLength(100)) }),
    stream: 'request',
  }),

  ...moveEndpoints,
}
