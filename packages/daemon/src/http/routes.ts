import { Readable } from 'node:stream'
import { maxPlannedJobs } from '@innkeeper/contract/backup-plan'
import { downloadConsole, getConsoleHistory, searchConsole } from '@innkeeper/contract/console-history'
import type { Endpoint } from '@innkeeper/contract/endpoint'
import { ServerId } from '@innkeeper/contract/names'
import { cloneEndpoints } from '@innkeeper/contract/node-clones'
import * as calls from '@innkeeper/contract/node-servers'
import { NodeFeatures } from '@innkeeper/contract/nodes'
import { panelOnlyEndpoints } from '@innkeeper/contract/panel-only'
import { Refusal } from '@innkeeper/contract/refusals'
import { getData, getDefinition, putData, putDefinition } from '@innkeeper/contract/server-definition'
import { getStatsHistory } from '@innkeeper/contract/stats-history'
import { hasPermission, type TicketPermissions } from '@innkeeper/contract/ticket'
import { z } from 'zod'
import type { Backups } from '../backups/open-backups.ts'
import type { FileOperations } from '../file-jobs/file-operations.ts'
import type { PowerAction } from '../lifecycle/rules.ts'
import { portsInUse } from '../network/ports-in-use.ts'
import { waitForPower } from '../servers/power-wait.ts'
import type { Registry } from '../servers/registry.ts'
import { userIdOf } from '../servers/task-owners.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { setAttachmentHeaders } from './requests/file-response.ts'
import { type CallSpec, callDefaults, type Serve, StreamResponse } from './requests/serve.ts'

/** The endpoints of one server. */
export function serverRoutes(
  serve: Serve<Endpoint>,
  servers: Registry,
  { powerWaitMs }: { readonly powerWaitMs: number },
): void {
  serve(getDefinition, ({ params, reply }) => {
    const { definition, version } = servers.get(params.id).definition.current
    reply.header('ETag', `"${version}"`)
    return definition
  })
  serve(putDefinition, async ({ params, body, header, reply, sub }) => {
    const version = await servers.get(params.id).definition.replace(body, userIdOf(sub), versionOf(header('if-match')))
    reply.header('ETag', `"${version}"`)
  })
  serve(getData, ({ params, rights, reply }) => {
    const server = servers.get(params.id)
    reply.header('ETag', `"${server.definition.current.version}"`)
    return server.definition.data(visibilityOf(rights))
  })
  serve(putData, async ({ params, body, rights, header, reply }) => {
    const server = servers.get(params.id)
    const version = await server.definition.setData(body.data, visibilityOf(rights), versionOf(header('if-match')))
    reply.header('ETag', `"${version}"`)
  })
  serve(calls.getStatus, ({ params }) => servers.get(params.id).status)
  serve(calls.getStats, ({ params }) => servers.get(params.id).stats)
  serve(calls.getConsole, ({ params, query: { time, from } }) => {
    const { console } = servers.get(params.id)
    return from === undefined ? console.since(secondsOf(time)) : console.after(from)
  })
  serve(getStatsHistory, ({ params, query }) => servers.get(params.id).statsHistory.series(query.range))
  serve(getConsoleHistory, async ({ params, query }) => {
    const { records, ...page } = await servers.get(params.id).console.page(query.before)
    const logs = records.map(({ from, epoch, text }) => ({ from, epoch: Math.floor(epoch), text: text.toString() }))
    return { ...page, logs }
  })
  serve(searchConsole, async ({ params, query }) => {
    const { found, ...more } = await servers.get(params.id).console.search(query.text, query.before)
    return { ...more, found: found.map((line) => ({ ...line, epoch: Math.floor(line.epoch) })) }
  })
  serve(downloadConsole, ({ params, reply }) => {
    const { id, console } = servers.get(params.id)
    setAttachmentHeaders(reply, `${id}.log`)
    return new StreamResponse(Readable.from(console.wholeText()))
  })
  serve(calls.sendCommand, ({ params, body, username }) => servers.get(params.id).send(body, username))
  serve(calls.reloadServer, ({ params, sub }) => servers.get(params.id).definition.reload(userIdOf(sub)))

  serve(calls.startServer, powerHandler('start'))
  serve(calls.stopServer, powerHandler('stop'))
  serve(calls.restartServer, powerHandler('restart'))
  serve(calls.killServer, powerHandler('kill'))
  serve(calls.installServer, powerHandler('install'))

  /** Responds at once, or with `wait` when the action has completed; with ErrPowerTooSlow after a timeout. */
  function powerHandler(action: PowerAction) {
    return async ({ params, query, reply }: Power): Promise<void> => {
      const { ended } = servers.get(params.id).power(action)
      if (!query.wait) return
      await waitForPower(ended, { action, withinMs: powerWaitMs })
      reply.status(204)
    }
  }
}

interface Power {
  readonly params: { readonly id: string }
  readonly query: { readonly wait: boolean }
  readonly reply: { status(status: number): void }
}

const OnServer = z.object({ id: ServerId })

const panelCalls = {
  features: { ...callDefaults, ...panelOnlyEndpoints.features, response: NodeFeatures, status: 200 },
  create: { ...callDefaults, ...panelOnlyEndpoints.create, params: OnServer, status: 204 },
  remove: { ...callDefaults, ...panelOnlyEndpoints.remove, params: OnServer, status: 204 },
  usage: { ...callDefaults, ...panelOnlyEndpoints.usage, query: z.object({ ids: z.string().max(1000) }), status: 200 },
  servers: { ...callDefaults, ...panelOnlyEndpoints.servers, status: 200 },
  backupUsage: { ...callDefaults, ...panelOnlyEndpoints.backupUsage, status: 200 },
  backupPlan: { ...callDefaults, ...panelOnlyEndpoints.backupPlan, status: 200 },
  backupDefinition: { ...callDefaults, ...cloneEndpoints.backupDefinition, status: 200, noTimeout: true },
  exportBackup: {
    ...callDefaults,
    ...cloneEndpoints.exportBackup,
    response: z.unknown(),
    ...({ status: 200, stream: 'response', noTimeout: true } as const),
  },
  fillFromBackup: { ...callDefaults, ...cloneEndpoints.fillFromBackup, status: 202 },
  queueImport: { ...callDefaults, ...cloneEndpoints.queueImport, status: 202 },
  importFiles: { ...callDefaults, ...cloneEndpoints.importFiles, status: 204, stream: 'request', noTimeout: true },
  portsInUse: { ...callDefaults, ...panelOnlyEndpoints.portsInUse, status: 200 },
  serverPorts: { ...callDefaults, ...panelOnlyEndpoints.serverPorts, status: 200 },
  missingPrograms: { ...callDefaults, ...panelOnlyEndpoints.missingPrograms, status: 200 },
} as const satisfies Record<string, CallSpec>

interface PanelDeps {
  readonly servers: Registry
  readonly fileOperations: FileOperations
  readonly uploads: Uploads
  readonly tasks: Tasks
  readonly backups: Backups
  readonly features: () => NodeFeatures
}

/** The endpoints for the panel. */
export function panelRoutes(
  serve: Serve<CallSpec>,
  { servers, fileOperations, uploads, tasks, backups, features }: PanelDeps,
): void {
  const { features: getFeatures, create, remove, usage, backupUsage, portsInUse: ports, missingPrograms } = panelCalls
  serve(getFeatures, features)
  serve(create, async ({ params, query, body }) => {
    const server = await servers.create(params.id, body)
    if (query.start) server.installAndStart()
  })
  serve(remove, async ({ params: { id } }) => {
    servers.get(id)
    await Promise.all([fileOperations.end(id), backups.jobs.cancelAll(id)])
    await tasks.removing(id, () => servers.remove(id))
    await uploads.removeAll(id)
    await backups.ofServers.removeAll(id)
  })
  serve(panelCalls.servers, () => servers.servers.map((server) => server.summary))
  serve(backupUsage, () => backups.overview.usage())
  serve(panelCalls.backupPlan, async () => {
    const jobs = [...(await tasks.plannedBackups()), ...(await backups.overview.planned())]
    return jobs.toSorted((a, b) => Date.parse(a.at) - Date.parse(b.at)).slice(0, maxPlannedJobs)
  })
  serve(panelCalls.backupDefinition, ({ params, signal }) =>
    backups.reader.definition(params.id, params.backup, signal),
  )
  serve(panelCalls.exportBackup, async ({ params, signal }) => {
    return new StreamResponse(await backups.reader.export(params.id, params.backup, signal))
  })
  serve(panelCalls.fillFromBackup, async ({ params, body }) => (await backups.ofServers.fill(params.id, body)).job)
  serve(panelCalls.queueImport, ({ params, body }) => backups.imports.queue(servers.get(params.id), body.backup))
  serve(panelCalls.importFiles, ({ params, request: body, signal }) => {
    return backups.imports.receive(params.id, params.job, { body, signal })
  })
  serve(ports, portsInUse)
  serve(panelCalls.serverPorts, () => servers.servers.flatMap((server) => server.ports))
  serve(missingPrograms, async ({ body }) => ({ missing: await servers.missingPrograms(body.programs) }))
  serve(usage, ({ query }) => query.ids.split(',').flatMap((id) => servers.find(id)?.usage ?? []))
}

const visibilityOf = (rights: TicketPermissions) => (hasPermission(rights, 'admin') ? 'all' : 'users')

/** `If-Match` has a quoted version; `*` means any. */
export function versionOf(header: string | undefined): string | undefined {
  return header === undefined || header === '*' ? undefined : header.replace(/^(?:W\/)?"(.*)"$/, '$1')
}

function secondsOf(text: string | undefined): number {
  const seconds = text === undefined || text === '' ? 0 : Number(text)
  if (!Number.isFinite(seconds) || seconds < 0) throw new Refusal('ErrInvalidUnixTime')
  return seconds
}
