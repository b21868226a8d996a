import { parseVersion } from '@innkeeper/contract/api/endpoint'
import { maxPlannedJobs } from '@innkeeper/contract/backups/backup-plan'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import type { NodeFeatures } from '@innkeeper/contract/nodes/nodes'
import type { Backups } from '../backups/open-backups.ts'
import type { FileOperations } from '../file-jobs/file-operations.ts'
import type { Moves } from '../moves/moves.ts'
import { portsInUse } from '../network/ports-in-use.ts'
import type { PanelSessions } from '../panel-link/panel-sessions.ts'
import type { Registry } from '../servers/registry.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { type Handlers, StreamResponse } from './requests/serve.ts'

export interface PanelHandlerDeps {
  readonly servers: Registry
  readonly fileOperations: FileOperations
  readonly uploads: Uploads
  readonly tasks: Tasks
  readonly backups: Backups
  readonly moves: Moves
  readonly sessions: PanelSessions
  readonly features: () => NodeFeatures
}

/** The endpoints for the panel. */
export function panelHandlers(deps: PanelHandlerDeps): Handlers<typeof panelEndpoints> {
  const { servers, fileOperations, uploads, tasks, backups, moves, sessions, features } = deps
  return {
    getFeatures: features,
    openSession({ isSigned }) {
      // Otherwise the key of a session would be as good as that of the panel.
      if (!isSigned) throw new Refusal('ErrTokenInvalid')
      return sessions.open()
    },
    async createServer({ params, query, body }) {
      const server = await servers.create(params.id, body)
      if (query.start) server.installAndStart()
    },
    async deleteServer({ params: { id } }) {
      const moved = servers.findMoved(id)
      if (moved) return await moves.remove(id, moved.move)
      servers.get(id)
      await Promise.all([fileOperations.end(id), backups.jobs.cancelAll(id)])
      await tasks.removing(id, () => servers.remove(id))
      await uploads.removeAll(id)
      await backups.ofServers.removeAll(id)
    },
    setSuspension: ({ params, body }) => servers.setSuspension(params.id, body.suspension),
    getUsage: ({ query }) => query.ids.split(',').flatMap((id) => servers.find(id)?.usage ?? []),
    listServers: () => servers.servers.map((server) => server.summary),
    listPortsInUse: portsInUse,
    listServerPorts: () => [...servers.servers.flatMap((server) => server.ports), ...moves.ports],
    findMissingPrograms: async ({ body }) => ({ missing: await servers.missingPrograms(body.programs) }),
    getBackupUsage: () => backups.overview.usage(),
    async getBackupPlan() {
      const jobs = [...(await tasks.plannedBackups()), ...(await backups.overview.planned())]
      return jobs.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(0, maxPlannedJobs)
    },
    listBackupTargets: () => backups.targets.list(),
    createBackupTarget: ({ body }) => backups.targets.create(body),
    editBackupTarget: ({ params, body, header }) =>
      backups.targets.edit(params.target, body, parseVersion(header('if-match'))),
    deleteBackupTarget: ({ params }) => backups.targets.remove(params.target),
    testBackupTarget: ({ body, signal }) => backups.targets.test(body, signal),
    putDefaultBackupTargets: ({ body, header }) => backups.targets.setDefaults(body, parseVersion(header('if-match'))),
    getBackupDefinition: ({ params, signal }) => backups.reader.definition(params.id, params.backup, signal),
    exportBackup: async ({ params, signal }) =>
      new StreamResponse(await backups.reader.export(params.id, params.backup, signal)),
    fillFromBackup: async ({ params, body }) => (await backups.ofServers.fill(params.id, body)).job,
    queueImport: ({ params, body }) => backups.imports.queue(servers.get(params.id), body.backup),
    importFiles: ({ params, request: body, signal }) =>
      backups.imports.receive(params.id, params.job, { body, signal }),
    checkMovedServer: ({ params, body }) => servers.check(params.id, body),
    getMoveState: ({ params }) => moves.state(params.id),
    sealServer: ({ params }) => moves.seal(params.id, params.move),
    openServer: ({ params }) => moves.open(params.id, params.move),
    putMovedDefinition: ({ params: { id, move }, body: { definition, suspension } }) =>
      servers.setMovedDefinition(id, { move, definition }, suspension),
    listMovedFiles: ({ params, signal }) => new StreamResponse(moves.list(params.id, signal)),
    async exportChanges({ params, query, request: list, signal, reply }) {
      const changes = await moves.changes(params.id, { list, sinceMs: query.since, signal })
      reply.header('Innkeeper-Bytes', String(changes.bytes))
      return new StreamResponse(moves.pack(changes, signal))
    },
    importChanges: ({ params, query, request: body, signal }) =>
      moves.receive(params.id, { move: params.move, body, isFinal: query.final, signal }),
    deleteMovedServer: ({ params }) => moves.remove(params.id, params.move),
  }
}
