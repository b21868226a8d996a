import { z } from 'zod/mini'
import { endpoint, etag, ifMatch, nodeEndpoint, QueryFlag } from '../api/endpoint.ts'
import { OnServer } from '../api/params.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'
import { limits } from '../text/limits.ts'
import { DiskSpace } from './status.ts'

/** Endpoints for the files of one server. The node handles most of them. Paths are relative to the server's folder. */

/** A path: `plugins/a.jar`, with or without a leading `/`; empty is the server's folder. */
export const FilePath = z.string().check(z.maxLength(limits.pathBytes))

/**
 * Whether a name is empty or has only whitespace and invisible characters. Endpoints in this file refuse to create such
 * a name with `ErrFieldRequired`; existing files with such a name stay usable. SFTP, archives and the server itself may
 * create them, because they must preserve names exactly.
 */
export function isBlankName(name: string): boolean {
  return !/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(name)
}

/** In URLs each path segment is percent-encoded; `/` may be encoded too. */
const InFolder = z.extend(OnServer, { path: FilePath })

/**
 * A directory entry, in the format of existing clients. `size` (bytes) and `modifyTime` (epoch seconds) are omitted
 * when 0, `extension` (with its dot) when there is none, and the booleans when false.
 */
export const FileEntry = z.object({
  name: z.string(),
  /** True for everything except folders. */
  isFile: z.boolean(),
  size: z.optional(z.number()),
  modifyTime: z.optional(z.number()),
  extension: z.optional(z.string()),
  isLink: z.optional(z.boolean()),
  /**
   * The name is not valid UTF-8, or it is not a regular file: it is listed, and deleted with its folder, but cannot be
   * opened.
   */
  isOdd: z.optional(z.boolean()),
})
export type FileEntry = z.infer<typeof FileEntry>

/** For endpoints that send a file. */
export const fileDownload = {
  stream: 'response',
  headers: {
    Range: 'One byte range of a file.',
    'If-Range': 'The `ETag` or `Last-Modified` that the range applies to.',
    'If-None-Match': '`ETag`s that the client has cached.',
    'If-Modified-Since': 'The `Last-Modified` that the client has cached.',
  },
  responseHeaders: {
    ...etag,
    'Last-Modified': 'When the file was changed.',
    'Accept-Ranges': '`bytes` for a file.',
    'Content-Range': 'The range in the response.',
  },
  otherStatuses: {
    206: 'The requested range.',
    304: 'The cached version is current.',
    416: 'The range is beyond the end of the file.',
  },
} as const

/**
 * Lists a folder, unsorted, or downloads a file. Listings of subfolders begin with `..`. File responses have `ETag`,
 * `Last-Modified` and a file name; `Range`, `If-Range` and `If-None-Match` are supported.
 */
export const getFile = nodeEndpoint('GET', '/daemon/server/:id/file/:path*', {
  access: { onServer: 'viewServerFiles' },
  params: InFolder,
  response: z.array(FileEntry),
  ...fileDownload,
})

/**
 * Atomically creates or replaces a file. The content is the body, or the field `file` of a multipart form. With
 * `If-Match` an outdated version fails with ErrStaleVersion, with `If-None-Match: *` an existing file with
 * ErrFileExists. With `folder` it creates a folder and its parents.
 */
export const putFile = nodeEndpoint('PUT', '/daemon/server/:id/file/:path*', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.file.write',
  params: InFolder,
  query: z.object({ folder: QueryFlag }),
  stream: 'request',
  headers: {
    ...ifMatch,
    'If-None-Match': '`*`: the file must be new; an existing one fails with `ErrFileExists`.',
  },
  responseHeaders: etag,
  otherStatuses: { 200: 'The folder exists.' },
})

export const trashEntryHeader = 'innkeeper-trash-entry'

/** Deletes a file, a link, or a folder recursively. It goes to the trash if the node has one. */
export const deleteFile = nodeEndpoint('DELETE', '/daemon/server/:id/file/:path*', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.file.delete',
  params: InFolder,
  responseHeaders: { [trashEntryHeader]: 'The entry of the trash, for `restoreTrashEntry`.' },
  noTimeout: true,
})

/** What an archive or its extraction lacks, such as links that lead out: the first names, and the total count. */
const LeftOut = z.object({ skipped: z.array(z.string()), skippedCount: z.number() })
const leavingOut = {
  response: z.optional(LeftOut),
  otherStatuses: { 204: 'Done; nothing was left out.' },
} as const

/**
 * Creates an archive of the given paths. The format follows from the name of the archive. Responds when it is complete.
 */
export const archiveFiles = nodeEndpoint('POST', '/daemon/server/:id/archive/:path*', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.file.archive',
  params: InFolder,
  body: z.array(FilePath).check(z.minLength(1), z.maxLength(limits.pathsPerJob)),
  ...leavingOut,
  noTimeout: true,
})

const extractPath = '/daemon/server/:id/extract/:path*'
const extracting = {
  access: { onServer: 'putServerFiles' },
  audit: 'server.file.extract',
  params: InFolder,
  query: z.object({ destination: z._default(FilePath, '') }),
  ...leavingOut,
  noTimeout: true,
} as const

/** Extracts an archive into an existing folder. Responds when it is complete. */
export const extractFile = nodeEndpoint('POST', extractPath, extracting)

/** The same with the method that existing clients use. */
export const extractFileByGet = nodeEndpoint('GET', extractPath, extracting)

/** How to resolve a name conflict. Folders are always merged. */
export const ConflictPolicy = z.enum(['refuse', 'replace', 'keepBoth'])
export type ConflictPolicy = z.infer<typeof ConflictPolicy>

/** How to resolve a name conflict when extracting: `skip` omits the entry and reports it. */
export const ExtractConflictPolicy = z.enum([...ConflictPolicy.options, 'skip'])
export type ExtractConflictPolicy = z.infer<typeof ExtractConflictPolicy>

/** Renames or moves a file or folder. Does not support `keepBoth`. */
export const moveFile = nodeEndpoint('POST', '/daemon/server/:id/files/move', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.file.move',
  body: z.strictObject({ from: FilePath, to: FilePath, existing: z._default(z.enum(['refuse', 'replace']), 'refuse') }),
})

const Paths = z.array(FilePath).check(z.minLength(1), z.maxLength(limits.pathsPerJob))

/** A file operation that runs as a job. `destination` is the new archive or the target folder. */
export const FileJobRequest = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('delete'), paths: Paths }),
  z.strictObject({
    kind: z.literal('move'),
    paths: Paths,
    destination: FilePath,
    existing: z._default(ConflictPolicy, 'refuse'),
  }),
  z.strictObject({
    kind: z.literal('copy'),
    paths: Paths,
    destination: FilePath,
    existing: z._default(ConflictPolicy, 'refuse'),
  }),
  z.strictObject({ kind: z.literal('archive'), paths: Paths, destination: FilePath }),
  z.strictObject({
    kind: z.literal('extract'),
    path: FilePath,
    destination: FilePath,
    existing: z._default(ExtractConflictPolicy, 'replace'),
  }),
])
export type FileJobRequest = z.infer<typeof FileJobRequest>

/** Progress of a file job. `total` and `totalBytes` are missing until they are known. */
export const FileJob = z.object({
  id: z.string(),
  kind: z.enum(['delete', 'move', 'copy', 'archive', 'extract']),
  /** The first path and the number of paths. */
  path: z.string(),
  paths: z.number(),
  destination: z.optional(z.string()),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  entries: z.number(),
  totalEntries: z.optional(z.number()),
  bytes: z.number(),
  totalBytes: z.optional(z.number()),
  /** Archive entries that were skipped, such as links that lead out, and devices: the first names, and the total count. */
  skipped: z.optional(z.array(z.string())),
  skippedCount: z.optional(z.number()),
  /** The entries of the trash with what it deleted or replaced, once it has ended. */
  trash: z.optional(z.array(z.string())),
  /** Why it failed. */
  error: z.optional(ReportedError),
  /** ISO 8601. */
  startedAt: z.string(),
  endedAt: z.optional(z.string()),
})
export type FileJob = z.infer<typeof FileJob>

/** Starts a job and responds at once; poll `getFileJobs` for its progress. */
export const startFileJob = nodeEndpoint('POST', '/daemon/server/:id/files/jobs', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.file.work',
  body: FileJobRequest,
  response: FileJob,
  status: 202,
})

/** Running and recently finished jobs, newest first. */
export const getFileJobs = nodeEndpoint('GET', '/daemon/server/:id/files/jobs', {
  access: { onServer: 'viewServerFiles' },
  response: z.array(FileJob),
})

/** Cancels a running job and removes its incomplete output. */
export const cancelFileJob = nodeEndpoint('DELETE', '/daemon/server/:id/files/jobs/:job', {
  access: { onServer: 'putServerFiles' },
  audit: 'server.file.cancel',
  params: z.extend(OnServer, { job: z.string().check(z.maxLength(64)) }),
})

/** Finds files and folders below `path` whose name contains the text, case-insensitive. */
export const searchFiles = nodeEndpoint('GET', '/daemon/server/:id/files/search', {
  access: { onServer: 'viewServerFiles' },
  query: z.object({
    path: z._default(FilePath, ''),
    text: z.string().check(z.minLength(1), z.maxLength(limits.nameBytes)),
  }),
  response: z.object({
    /** `path` is the folder that contains it. */
    found: z.array(z.extend(FileEntry, { path: z.string() })),
    /** False when the result limit or the time limit was reached. */
    isComplete: z.boolean(),
  }),
})

/** Disk usage of the server's files. Measured on request, at most once a minute. */
export const getDiskUsage = nodeEndpoint('GET', '/daemon/server/:id/files/usage', {
  access: { onServer: 'viewServerFiles' },
  response: z.object({
    /** These three are missing before the first measurement has ended. */
    bytes: z.optional(z.number()),
    files: z.optional(z.number()),
    folders: z.optional(z.number()),
    /** Free space: of the disk, and below the limit of the server. */
    freeBytes: z.number(),
    /** The limit of the server and what counts for it: also its trash. Missing without a limit. */
    limit: z.optional(DiskSpace),
    /** ISO 8601; missing during the first measurement. */
    measuredAt: z.optional(z.string()),
    /** Why the last measurement failed. The others are of an earlier one, if there was one. */
    problem: z.optional(z.string()),
  }),
})

/** Downloads several files and folders as a zip, compressed while it is sent. */
export const downloadArchive = nodeEndpoint('POST', '/daemon/server/:id/files/download', {
  access: { onServer: 'viewServerFiles' },
  audit: 'server.file.download',
  body: Paths,
  response: z.unknown(),
  stream: 'response',
})

/**
 * Resumable uploads with the tus protocol 1.0.0 (extensions creation and termination). `Upload-Metadata` has the `path`
 * of the file and optionally `existing`, how to resolve a name conflict (default `refuse`). The file appears when all
 * bytes are there; before that it is not listed.
 */
const uploading = { access: { onServer: 'putServerFiles' } } as const
const OneUpload = z.extend(OnServer, { upload: z.string().check(z.regex(/^[0-9a-f]{32}$/)) })

const tus = { 'Tus-Resumable': '`1.0.0`, the protocol version.' } as const
const tusResponse = {
  ...tus,
  'Tus-Version': 'The supported versions.',
  'Tus-Extension': 'The supported extensions.',
  'Tus-Max-Size': 'The largest file in bytes.',
} as const
const uploadProgress = {
  ...tusResponse,
  'Upload-Offset': 'The number of bytes already uploaded.',
  'Upload-Expires': 'When the incomplete upload is deleted.',
} as const

export const createUpload = nodeEndpoint('POST', '/daemon/server/:id/uploads', {
  ...uploading,
  audit: 'server.file.upload',
  stream: 'request',
  status: 201,
  headers: {
    ...tus,
    'Upload-Length': 'The size of the file in bytes.',
    'Upload-Metadata': '`path`, and `existing` unless it is `refuse`; values in base64.',
    'Upload-Defer-Length': 'Refused: the size must be known.',
  },
  responseHeaders: { ...uploadProgress, Location: 'The path of the upload, below `/proxy`.' },
})
export const getUploadOffset = nodeEndpoint('HEAD', '/daemon/server/:id/uploads/:upload', {
  ...uploading,
  params: OneUpload,
  status: 200,
  headers: tus,
  responseHeaders: { ...uploadProgress, 'Upload-Length': 'The size of the file in bytes.' },
})
export const appendUpload = nodeEndpoint('PATCH', '/daemon/server/:id/uploads/:upload', {
  ...uploading,
  // A part of an upload that was recorded when it started.
  audit: false,
  params: OneUpload,
  stream: 'request',
  headers: { ...tus, 'Upload-Offset': uploadProgress['Upload-Offset'] },
  responseHeaders: uploadProgress,
})
export const removeUpload = nodeEndpoint('DELETE', '/daemon/server/:id/uploads/:upload', {
  ...uploading,
  audit: false,
  params: OneUpload,
  headers: tus,
  responseHeaders: tusResponse,
})

/** Incomplete uploads; they are deleted after `limits.uploadKeptMs`. */
export const getUploads = nodeEndpoint('GET', '/daemon/server/:id/uploads', {
  ...uploading,
  response: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      /** Uploaded bytes and total bytes. */
      offset: z.number(),
      size: z.number(),
      /** ISO 8601. */
      createdAt: z.string(),
    }),
  ),
})

/**
 * Creates a download link, because a browser cannot send a bearer token with a download. The link works once, expires
 * after `limits.downloadTicketMs`, and only works while the user who created it may read the files. A single file is
 * sent as it is; a folder or several paths as a zip.
 */
export const createDownload = endpoint('POST', '/api/servers/:id/downloads', {
  access: { onServer: 'viewServerFiles' },
  audit: 'server.file.download',
  params: OnServer,
  body: z.strictObject({ paths: Paths }),
  response: z.object({ url: z.string() }),
})

export const download = endpoint('GET', '/api/downloads/:ticket', {
  access: 'public',
  params: z.object({ ticket: z.string().check(z.maxLength(100)) }),
  response: z.unknown(),
  stream: 'response',
  errorStatuses: [403, 502],
})
