import { Readable } from 'node:stream'
import { type Endpoint, getUrl } from '@innkeeper/contract/api/endpoint'
import * as backups from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import * as files from '@innkeeper/contract/servers/files'
import { contentDisposition } from '@innkeeper/contract/text/content-disposition'
import { limits } from '@innkeeper/contract/text/limits'
import { z } from 'zod'
import type { AccessService } from '../access/access.ts'
import { type AuditContext, auditedTransaction } from '../access/audit-context.ts'
import type { AuthorizedServer, Credential, Principal } from '../access/principal.ts'
import { affectsRows } from '../database/rows.ts'
import type { Database, DownloadTicketRow } from '../database/schema.ts'
import type { NodeResponse } from '../nodes/client/node-response.ts'
import type { HttpProxy } from '../proxy/http-proxy.ts'
import { matchCall } from '../proxy/proxied-calls.ts'
import { StreamResponse } from '../routing/route-context.ts'
import { hashToken, newToken } from '../security/secrets.ts'

interface Deps {
  readonly db: Database
  readonly access: Pick<AccessService, 'authorizeServer'>
  /** Resolves a credential without a cache. */
  readonly resolveUncached: (credentials: readonly Credential[]) => Promise<Principal[]>
  readonly requests: HttpProxy
  readonly now: () => number
}

const BackupContent = z.object({
  backup: z.string(),
  path: z.string(),
  /** Of a folder. */
  format: z.enum(backups.backupArchives).default('zip'),
})

/** Files of a server, or a file or folder of one of its backups. */
type DownloadContent = { readonly paths: readonly string[] } | z.output<typeof BackupContent>

/** As stored; links of earlier versions have only paths. */
const StoredContent = z.union([z.array(z.string()), BackupContent])

export type DownloadsService = ReturnType<typeof downloadsService>

/** Download links for browsers, which cannot send a bearer token with a download: short-lived and valid once. */
export function downloadsService({ db, access, resolveUncached, requests, now }: Deps) {
  /** Consumes the link: of two concurrent requests one gets it. */
  async function consumeTicket(token: string): Promise<DownloadTicketRow> {
    const id = hashToken(token)
    const row = await db.selectFrom('download_tickets').selectAll().where('id', '=', id).executeTakeFirst()
    const deletion = db.deleteFrom('download_tickets').where('id', '=', id)
    if (!(await affectsRows(deletion)) || !row || row.expires_at <= now()) throw new Refusal('ErrLinkExpired')
    return row
  }

  return {
    /** Creates a link. Its URL is the only copy of the token. */
    async create(
      principal: Principal,
      server: AuthorizedServer<'viewServerFiles' | 'viewServerBackups'>,
      content: DownloadContent,
      audit: AuditContext,
    ): Promise<string> {
      const [token, at] = [newToken(), now()]
      await db.deleteFrom('download_tickets').where('expires_at', '<=', at).execute()
      const row: DownloadTicketRow = {
        id: hashToken(token),
        user_id: principal.userId,
        server_id: server.id,
        session_id: principal.sessionId,
        client_id: principal.client?.id ?? null,
        paths: JSON.stringify('paths' in content ? content.paths : content),
        expires_at: at + limits.downloadTicketMs,
      }
      await auditedTransaction(audit, db, (transaction) =>
        transaction.insertInto('download_tickets').values(row).execute(),
      )
      return getUrl(files.download, { params: { ticket: token } })
    },

    /** Streams a file as it is, or a folder or several paths as an archive; of the server or of one of its backups. */
    async open(token: string, address: string, signal: AbortSignal): Promise<StreamResponse> {
      const row = await consumeTicket(token)
      const client = row.client_id === null ? undefined : { address }
      const [principal] = await resolveUncached([{ sessionId: row.session_id, client }])
      if (!principal) throw new Refusal('ErrLinkExpired')
      const content = StoredContent.parse(JSON.parse(row.paths))
      const isBackup = !Array.isArray(content)
      const permission = isBackup ? 'viewServerBackups' : 'viewServerFiles'
      const server = await access.authorizeServer(principal, row.server_id, permission)

      const abort = new AbortController()
      if (signal.aborted) abort.abort()
      signal.addEventListener('abort', () => abort.abort(), { once: true })
      const prepareRequest = (
        call: Endpoint,
        params: object,
        { body, search = '' }: { body?: unknown; search?: string } = {},
      ) => {
        const path = getUrl(call, { params: { id: server.id, ...params } })
        return requests.forward({
          principal,
          matchedCall: matchCall(call.method, path),
          search,
          headers: body === undefined ? {} : { 'content-type': 'application/json' },
          body: body === undefined ? undefined : Readable.from([Buffer.from(JSON.stringify(body))]),
          abort,
        })
      }
      if (isBackup) {
        const { backup, path, format } = content
        const search = `?${new URLSearchParams({ path, format })}`
        const found = await prepareRequest(backups.downloadBackup, { backup }, { search })
        if (lastName(path) !== '') return new StreamResponse(found)
        // Older nodes only make a zip.
        const isZip = !String(found.headers['content-disposition']).includes('.tar.zst')
        return named(found, `${server.name}.${isZip ? 'zip' : 'tar.zst'}`)
      }
      const paths = content
      const [only] = paths
      if (only !== undefined && paths.length === 1 && lastName(only) !== '') {
        const file = await prepareRequest(files.getFile, { path: only })
        if (file.status !== 200) return new StreamResponse(file)
        if (!String(file.headers['content-type']).startsWith('application/json')) return new StreamResponse(file)
        // It is a folder: the rest of the listing is not needed.
        file.body.destroy()
      }
      const archive = await prepareRequest(files.downloadArchive, {}, { body: paths })
      return named(archive, `${(paths.length === 1 && lastName(only ?? '')) || server.name}.zip`)
    },
  }
}

/** An archive with a name of the panel. */
function named(archive: NodeResponse, name: string): StreamResponse {
  const header = archive.status === 200 ? { 'content-disposition': contentDisposition(name) } : {}
  return new StreamResponse({ ...archive, headers: { ...archive.headers, ...header } })
}

const lastName = (path: string): string => path.split('/').findLast((name) => name !== '' && name !== '.') ?? ''
