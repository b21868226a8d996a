import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { TicketPermissions } from '@innkeeper/contract/node-link/ticket'
import * as calls from '@innkeeper/contract/servers/files'
import { withRollback } from '../errors/cleanup.ts'
import type { FileOperations } from '../file-jobs/file-operations.ts'
import { search } from '../file-jobs/search.ts'
import { refuseUnusualNames } from '../files/new-name.ts'
import { formatPath, getName, parseExistingPath } from '../files/path/safe-path.ts'
import type { VersionedInfo } from '../files/read/file-info.ts'
import type { Registry } from '../servers/registry.ts'
import type { TrashSink } from '../trash/trash-sink.ts'
import { maxUploadBytes } from '../uploads/uploads.ts'
import { fileResponse, setAttachmentHeaders } from './requests/file-response.ts'
import { listingResponse, zipResponse } from './requests/folder-response.ts'
import { announcedBytes, receiveFile } from './requests/receive.ts'
import type { Reply, Serve } from './requests/serve.ts'

/** The file endpoints of a server. */
export function fileRoutes(serve: Serve, servers: Registry, fileOperations: FileOperations): void {
  const readFiles = (id: string, permissions: TicketPermissions, discarded?: TrashSink) =>
    servers.get(id).openFiles(discarded, () => permissions)
  const getSink = (id: string, author: string | undefined) => servers.get(id).trashSink({ author })

  serve(calls.getFile, async ({ params, reply, header, signal, permissions }) => {
    const path = parseExistingPath(params.path)
    await using files = await readFiles(params.id, permissions)
    const found = await files.stat(path)
    if (!found) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
    if (found.kind !== 'folder')
      return await fileResponse(await files.open(path, 'read'), getName(path), { header, reply, signal })
    reply.header('Content-Type', 'application/json; charset=utf-8')
    return await listingResponse(await readFiles(params.id, permissions), path)
  })

  serve(calls.putFile, async ({ params, query, header, request, reply, signal, username, permissions }) => {
    const path = parseExistingPath(params.path)
    await using files = await readFiles(params.id, permissions, getSink(params.id, username))
    await refuseUnusualNames(files, path)
    if (query.folder) {
      await files.mkdirs(path)
      reply.status(200)
      return
    }
    const ifVersion = versionIn(header('if-match'), await files.stat(path))
    const onConflict = header('if-none-match') === '*' ? 'refuse' : 'replace'
    const reservation = await files.reserve(announcedBytes(request))
    await using draft = await files.draft(path, {
      onConflict,
      reservation,
      ...(ifVersion !== undefined && { ifVersion }),
    })
    await receiveFile(request, draft, { limit: maxUploadBytes, signal })
    const { version } = await draft.commit()
    reply.header('ETag', `"${version}"`)
  })

  serve(calls.deleteFile, async ({ params, username, permissions, reply }) => {
    const path = parseExistingPath(params.path)
    if (path.length === 0) throw new Refusal('ErrFieldInvalid', { field: 'path' })
    {
      const discarded = getSink(params.id, username)
      await using files = await readFiles(params.id, permissions, discarded)
      const found = await files.lstat(path)
      if (!found) throw new Refusal('ErrFileNotFound', { path: formatPath(path) })
      // Only a whole tree is deleted by a job.
      if (found.kind !== 'folder') {
        await files.discard(path)
        setTrashHeader(reply, discarded.ids)
        return
      }
    }
    const { jobs } = fileOperations.on(params.id)
    const { job, ended } = jobs.start({ kind: 'delete', paths: [params.path] }, { username, permissions })
    await ended
    setTrashHeader(reply, jobs.list.find(({ id }) => id === job.id)?.trash)
  })

  serve(calls.moveFile, async ({ params, body: { from, to, existing }, username, permissions }) => {
    const [source, target] = [parseExistingPath(from), parseExistingPath(to)]
    if (source.length === 0 || target.length === 0) throw new Refusal('ErrFieldInvalid', { field: 'from' })
    await using files = await readFiles(params.id, permissions, getSink(params.id, username))
    await refuseUnusualNames(files, target)
    await files.rename(source, target, { onConflict: existing })
  })

  serve(
    calls.startFileJob,
    ({ params, body, username, permissions }) =>
      fileOperations.on(params.id).jobs.start(body, { username, permissions }).job,
  )
  serve(calls.getFileJobs, ({ params }) => fileOperations.on(params.id).jobs.list)
  serve(calls.cancelFileJob, ({ params }) => fileOperations.on(params.id).jobs.cancel(params.job))
  serve(calls.getDiskUsage, ({ params }) => fileOperations.on(params.id).usage.latest())
  serve(calls.searchFiles, async ({ params, query, signal, permissions }) => {
    const find = async () => {
      await using files = await readFiles(params.id, permissions)
      return await search(files, parseExistingPath(query.path), query.text, signal)
    }
    return await fileOperations.runSearch(params.id, find, signal)
  })

  serve(calls.downloadArchive, async ({ params, body, reply, signal, permissions }) => {
    const paths = body.map(parseExistingPath)
    const [only] = paths
    setAttachmentHeaders(reply, `${(paths.length === 1 && only && getName(only)) || params.id}.zip`)
    const slot = fileOperations.acquireZipSlot(params.id)
    const onEnd = () => slot[Symbol.dispose]()
    const open = async () => await zipResponse(await readFiles(params.id, permissions), paths, { signal, onEnd })
    return await withRollback(open(), onEnd)
  })
}

/** Endpoints that pack and unpack, and answer when that is done. */
export function archiveRoutes(serve: Serve, fileOperations: FileOperations): void {
  /** Runs a job and returns what it left out. */
  const runJob = async (
    { params, username, permissions, reply }: Pick<Extracting, 'params' | 'username' | 'permissions' | 'reply'>,
    request: calls.FileJobRequest,
  ) => {
    const { jobs } = fileOperations.on(params.id)
    const { job, ended } = jobs.start(request, { username, permissions })
    await ended
    const { skipped = [], skippedCount = 0 } = jobs.list.find(({ id }) => id === job.id) ?? {}
    if (skippedCount > 0) return { skipped, skippedCount }
    reply.status(204)
    return undefined
  }
  serve(calls.archiveFiles, (context) => {
    const { params, body } = context
    return runJob(context, { kind: 'archive', paths: body, destination: params.path })
  })
  const extracting = (context: Extracting) => {
    const { params, query } = context
    return runJob(context, { kind: 'extract', path: params.path, existing: 'replace', ...query })
  }
  serve(calls.extractFile, extracting)
  serve(calls.extractFileByGet, extracting)
}

interface Extracting {
  readonly reply: Reply
  readonly username: string | undefined
  readonly permissions: TicketPermissions
  readonly params: { readonly id: string; readonly path: string }
  readonly query: { readonly destination: string }
}

/** Existing clients expect no body after a deletion. */
function setTrashHeader(reply: Reply, [entry]: readonly string[] = []): void {
  if (entry !== undefined) reply.header(calls.trashEntryHeader, entry)
}

/** The version of `If-Match`; `*` means the current one. */
function versionIn(header: string | undefined, found: VersionedInfo | undefined): string | undefined {
  if (header?.trim() === '*') return found?.version ?? ''
  return header?.trim().replace(/^"(.*)"$/, '$1')
}
