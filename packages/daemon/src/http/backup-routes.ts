import * as targets from '@innkeeper/contract/backup-targets'
import * as calls from '@innkeeper/contract/backups'
import { parseVersion } from '@innkeeper/contract/endpoint'
import { scopeOfPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { hasPermission } from '@innkeeper/contract/ticket'
import type { Backups } from '../backups/backups.ts'
import { versionOf } from '../backups/versions.ts'
import { userIdOf } from '../servers/task-owners.ts'
import { setAttachmentHeaders } from './file-response.ts'
import { type Serve, StreamResponse } from './serve.ts'

/** As in `idempotencyKey` of the contract. */
const maxKeyLength = 100

/** The backup endpoints of a server. */
export function backupRoutes(serve: Serve, backups: Backups): void {
  serve(calls.listBackups, ({ params }) => backups.list(params.id))
  serve(calls.createBackup, ({ params, body, username, header }) => {
    const author = username === undefined ? {} : { author: username }
    const { name, verify } = body
    const newBackup = { name, origin: 'user', ...author } as const
    const key = idempotencyKeyOf(header('idempotency-key'))
    if (key === undefined) return backups.create(params.id, newBackup, { verify }).job
    return backups.createOnce(params.id, { ...newBackup, idempotencyKey: key }, { verify })
  })
  serve(calls.restoreBackup, async ({ params, body, rights, sub, username }) => {
    // A definition decides what runs on the node.
    if (body.definition && !hasPermission(rights, 'admin'))
      throw new Refusal('ErrMissingScope', { scope: scopeOfPermission.admin })
    const request = { options: body, author: username, userId: userIdOf(sub), rights }
    return (await backups.restore(params.id, params.backup, request)).job
  })
  serve(calls.verifyBackup, async ({ params, query }) => (await backups.verify(params.id, params.backup, query)).job)
  serve(calls.copyBackups, async ({ params }) => (await backups.copy(params.id, params.target)).job)
  serve(calls.editBackup, ({ params, body }) => backups.edit(params.id, params.backup, body))
  serve(calls.deleteBackup, ({ params }) => backups.remove(params.id, params.backup))
  serve(calls.dismissBackupFailure, ({ params }) => backups.dismissFailure(params.id))
  serve(calls.getBackupRetention, async ({ params, reply }) => {
    const retention = await backups.retention.get(params.id)
    reply.header('ETag', `"${backups.retention.versionOf(retention)}"`)
    return retention
  })
  serve(calls.putBackupRetention, ({ params, body, header }) =>
    backups.retention.set(params.id, body, parseVersion(header('if-match'))),
  )
  serve(targets.getServerBackupTargets, async ({ params, reply }) => {
    const chosen = await backups.serverTargets(params.id)
    reply.header('ETag', `"${versionOf(chosen.selected ?? null)}"`)
    return chosen
  })
  serve(targets.putServerBackupTargets, ({ params, body, header }) =>
    backups.setServerTargets(params.id, body, parseVersion(header('if-match'))),
  )
  serve(calls.listBackupFiles, ({ params, query, signal }) =>
    backups.reader.files(params.id, params.backup, query.path, signal),
  )
  serve(calls.searchBackupFiles, ({ params, query, signal }) =>
    backups.reader.search(params.id, params.backup, query, signal),
  )
  serve(calls.downloadBackup, async ({ params, query, reply, signal, rights }) => {
    const { name, body } = await backups.reader.open(params.id, params.backup, { ...query, rights }, signal)
    setAttachmentHeaders(reply, name)
    return new StreamResponse(body)
  })
  serve(calls.listBackupJobs, ({ params }) => backups.jobs(params.id))
  serve(calls.cancelBackupJob, ({ params, rights }) => {
    const { type } = backups.job(params.id, params.job)
    const needed = type === 'restore' ? 'restoreServerBackups' : 'createServerBackups'
    if (!hasPermission(rights, needed)) throw new Refusal('ErrMissingScope', { scope: scopeOfPermission[needed] })
    backups.cancel(params.id, params.job)
  })
}

/** Throws ErrFieldTooLarge. */
function idempotencyKeyOf(header: string | undefined): string | undefined {
  if (header === undefined || header.length <= maxKeyLength) return header
  throw new Refusal('ErrFieldTooLarge', { field: 'Idempotency-Key', max: maxKeyLength })
}
