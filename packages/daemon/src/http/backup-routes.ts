import { parseVersion } from '@innkeeper/contract/api/endpoint'
import { scopeOfPermission } from '@innkeeper/contract/api/permissions'
import * as targets from '@innkeeper/contract/backups/backup-targets'
import * as calls from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { hasPermission } from '@innkeeper/contract/node-link/ticket'
import type { Backups } from '../backups/open-backups.ts'
import { getVersion } from '../backups/storage/versions.ts'
import type { Registry } from '../servers/registry.ts'
import { findUserId } from '../servers/task-owners.ts'
import { setAttachmentHeaders } from './requests/file-response.ts'
import { type Serve, StreamResponse } from './requests/serve.ts'

/** As in `idempotencyKey` of the contract. */
const maxKeyLength = 100

/** The backup endpoints of a server. */
export function backupRoutes(
  serve: Serve,
  { ofServers, jobs, reader, retention: policies, targets: service, missingCopies, overview }: Backups,
  servers: Pick<Registry, 'get'>,
): void {
  serve(calls.listBackups, ({ params }) => ofServers.list(params.id))
  serve(calls.createBackup, ({ params, body, username, header }) => {
    const author = username === undefined ? {} : { author: username }
    const { name, verify } = body
    const newBackup = { name, origin: 'user', ...author } as const
    const key = findIdempotencyKey(header('idempotency-key'))
    if (key === undefined) return ofServers.create(params.id, newBackup, { verify }).job
    return ofServers.createOnce(params.id, { ...newBackup, idempotencyKey: key }, { verify })
  })
  serve(calls.restoreBackup, async ({ params, body, permissions, sub, username }) => {
    // A definition decides what runs on the node.
    if (body.definition && !hasPermission(permissions, 'admin'))
      throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.admin })
    const request = { options: body, author: username, userId: findUserId(sub), permissions }
    return (await ofServers.restore(params.id, params.backup, request)).job
  })
  serve(calls.verifyBackup, async ({ params, query }) => (await ofServers.verify(params.id, params.backup, query)).job)
  serve(calls.copyBackups, async ({ params }) => (await missingCopies.start(params.id, params.target)).job)
  serve(calls.editBackup, ({ params, body }) => ofServers.edit(params.id, params.backup, body))
  serve(calls.deleteBackup, ({ params }) => ofServers.remove(params.id, params.backup))
  serve(calls.dismissBackupFailure, ({ params }) => overview.dismissFailure(params.id))
  serve(calls.getBackupRetention, async ({ params, reply }) => {
    const retention = await policies.get(params.id)
    reply.header('ETag', `"${policies.getVersion(retention)}"`)
    return retention
  })
  serve(calls.putBackupRetention, ({ params, body, header }) =>
    policies.set(params.id, body, parseVersion(header('if-match'))),
  )
  serve(targets.getServerBackupTargets, async ({ params, reply }) => {
    const chosen = await service.ofServer(params.id)
    reply.header('ETag', `"${getVersion(chosen.selected ?? null)}"`)
    return chosen
  })
  serve(targets.putServerBackupTargets, ({ params, body, header }) =>
    service.setOfServer(params.id, body, parseVersion(header('if-match'))),
  )
  serve(calls.listBackupFiles, ({ params, query, signal }) =>
    reader.files(params.id, params.backup, query.path, signal),
  )
  serve(calls.searchBackupFiles, ({ params, query, signal }) => reader.search(params.id, params.backup, query, signal))
  serve(calls.downloadBackup, async ({ params, query, reply, signal, permissions }) => {
    const { name, body } = await reader.open(params.id, params.backup, { ...query, permissions }, signal)
    setAttachmentHeaders(reply, name)
    return new StreamResponse(body)
  })
  serve(calls.listBackupJobs, ({ params: { id } }) => jobs.list(servers.get(id).id))
  serve(calls.cancelBackupJob, ({ params, permissions }) => {
    const { type } = jobs.get(servers.get(params.id).id, params.job)
    const needed = type === 'restore' ? 'restoreServerBackups' : 'createServerBackups'
    if (!hasPermission(permissions, needed)) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[needed] })
    jobs.cancel(params.id, params.job)
  })
}

/** Throws ErrFieldTooLarge. */
function findIdempotencyKey(header: string | undefined): string | undefined {
  if (header === undefined || header.length <= maxKeyLength) return header
  throw new Refusal('ErrFieldTooLarge', { field: 'Idempotency-Key', max: maxKeyLength })
}
