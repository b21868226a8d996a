import { z } from 'zod'
import { call, ifMatch, nodeCall } from './call.ts'
import { limits } from './limits.ts'
import { ServerId } from './names.ts'

/** The calls on the files of one server. The node serves most of them; paths begin at the server's folder. */

const OnServer = z.object({ id: ServerId })

/** A path as people and programs write it: `plugins/a.jar`, with or without `/` in front; empty is the server's folder. */
export const FilePath = z.string().max(limits.pathBytes)

/**
 * Whether a file or folder name shows nothing: it is empty, or consists of blanks and invisible characters only. The calls
 * of this file refuse to create such a name with `ErrFieldRequired`; files that have one already stay usable. SFTP, archives
 * and the server itself may create them, because they have to reproduce names exactly.
 */
export function isBlankName(name: string): boolean {
  return !/[^\p{White_Space}\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}]/u.test(name)
}

/** In a URL each name is escaped; a `/` may come escaped too. */
const InFolder = OnServer.extend({ path: FilePath })

/** A switch in a query: on with any value but `false`, and without one. */
const Switch = z
  .string()
  .optional()
  .transform((value) => value !== undefined && value.toLowerCase() !== 'false')

/**
 * One thing in a folder, as published clients know it. `size` (bytes) and `modifyTime` (epoch seconds) are left out when
 * they are 0, as are `extension` (with its dot) when there is none and the two claims when they are false.
 */
export const FileEntry = z.object({
  name: z.string(),
  /** True for everything but folders. */
  isFile: z.boolean(),
  size: z.number().optional(),
  modifyTime: z.number().optional(),
  extension: z.string().optional(),
  isLink: z.boolean().optional(),
  /** Its name is no text, or it is no regular file: it can be seen, and deleted with its folder, but not be asked for. */
  isOdd: z.boolean().optional(),
})
export type FileEntry = z.infer<typeof FileEntry>

/**
 * What a folder holds, in no order, or the bytes of a file. Listings other than that of the server's folder begin with
 * `..`. A file comes with `ETag`, `Last-Modified` and its name; `Range`, `If-Range`, `If-None-Match` are understood.
 */
export const getFile = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/file/:path*',
  access: { onServer: 'viewServerFiles' },
  params: InFolder,
  answer: z.array(FileEntry),
  bytes: 'answered',
  headers: {
    Range: 'One range of bytes of a file.',
    'If-Range': 'The version, or the time of change, that the range is meant for.',
    'If-None-Match': 'Versions that the caller has.',
    'If-Modified-Since': 'When the caller got it.',
  },
  also: {
    206: 'The range that was asked for.',
    304: 'The caller has this version.',
    416: 'The file ends before the range.',
  },
})

/**
 * Replaces a file wholly or not at all, or makes it: the bytes are the body, or the field `file` of a multipart form.
 * With `If-Match` an outdated version is refused with ErrStaleVersion, with `If-None-Match: *` an existing file with
 * ErrFileExists. The new version is in the `ETag` header. With `folder` it makes a folder, and those above it.
 */
export const putFile = nodeCall({
  method: 'PUT',
  path: '/daemon/server/:id/file/:path*',
  access: { onServer: 'putServerFiles' },
  params: InFolder,
  query: z.object({ folder: Switch }),
  bytes: 'sent',
  headers: {
    ...ifMatch,
    'If-None-Match': '`*`: the file must be new; one that exists is refused with `ErrFileExists`.',
  },
  also: { 200: 'The folder is there.' },
})

/** Removes a file, a link, or a folder with all that is in it. */
export const deleteFile = nodeCall({
  method: 'DELETE',
  path: '/daemon/server/:id/file/:path*',
  access: { onServer: 'putServerFiles' },
  params: InFolder,
  takesLong: true,
})

/** Packs what is named into a new archive; the kind follows from the archive's name. Answers when it is done. */
export const archiveFiles = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/archive/:path*',
  access: { onServer: 'putServerFiles' },
  params: InFolder,
  body: z.array(FilePath).min(1).max(limits.pathsPerJob),
  takesLong: true,
})

const extracting = {
  path: '/daemon/server/:id/extract/:path*',
  access: { onServer: 'putServerFiles' },
  params: InFolder,
  query: z.object({ destination: FilePath.default('') }),
  takesLong: true,
} as const

/** Unpacks an archive into a folder that is there already. Answers when it is done. */
export const extractFile = nodeCall({ method: 'POST', ...extracting })

/** The same by the method that published clients use. */
export const extractFileByGet = nodeCall({ method: 'GET', ...extracting })

/** What becomes of a file that has the name already. Folders are merged in any case. */
export const OnExisting = z.enum(['refuse', 'replace', 'keepBoth'])
export type OnExisting = z.infer<typeof OnExisting>

/** For what comes out of an archive: `skip` leaves out what has its name taken, and reports it. */
export const OnExtracting = z.enum([...OnExisting.options, 'skip'])
export type OnExtracting = z.infer<typeof OnExtracting>

/** Gives one file or folder another name or place. `keepBoth` is not for this call. */
export const moveFile = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/files/move',
  access: { onServer: 'putServerFiles' },
  params: OnServer,
  body: z.strictObject({ from: FilePath, to: FilePath, existing: OnExisting.exclude(['keepBoth']).default('refuse') }),
})

const Paths = z.array(FilePath).min(1).max(limits.pathsPerJob)

/** Work on files that may take a while. `destination` is the new archive, or the folder that things go to. */
export const FileWork = z.discriminatedUnion('kind', [
  z.strictObject({ kind: z.literal('delete'), paths: Paths }),
  z.strictObject({
    kind: z.literal('move'),
    paths: Paths,
    destination: FilePath,
    existing: OnExisting.default('refuse'),
  }),
  z.strictObject({
    kind: z.literal('copy'),
    paths: Paths,
    destination: FilePath,
    existing: OnExisting.default('refuse'),
  }),
  z.strictObject({ kind: z.literal('archive'), paths: Paths, destination: FilePath }),
  z.strictObject({
    kind: z.literal('extract'),
    path: FilePath,
    destination: FilePath,
    existing: OnExtracting.default('replace'),
  }),
])
export type FileWork = z.infer<typeof FileWork>

/** How far a piece of work is. `total` and `totalBytes` are missing as long as nobody knows them. */
export const FileJob = z.object({
  id: z.string(),
  kind: z.enum(['delete', 'move', 'copy', 'archive', 'extract']),
  /** The first path that it is about, and how many there are. */
  path: z.string(),
  paths: z.number(),
  destination: z.string().optional(),
  state: z.enum(['running', 'done', 'failed', 'cancelled']),
  entries: z.number(),
  totalEntries: z.number().optional(),
  bytes: z.number(),
  totalBytes: z.number().optional(),
  /** What an archive held that was left out, such as links and devices: the first few names, and how many in all. */
  skipped: z.array(z.string()).optional(),
  skippedCount: z.number().optional(),
  /** Why it failed: a code of the catalogue. */
  error: z.object({ code: z.string(), metadata: z.record(z.string(), z.unknown()).optional() }).optional(),
  /** ISO 8601. */
  startedAt: z.string(),
  endedAt: z.string().optional(),
})
export type FileJob = z.infer<typeof FileJob>

/** Begins work and answers at once; how it goes is asked with `getFileJobs`. */
export const startFileJob = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/files/jobs',
  access: { onServer: 'putServerFiles' },
  params: OnServer,
  body: FileWork,
  answer: FileJob,
  status: 202,
})

/** What is at work, and what ended lately; the newest first. */
export const getFileJobs = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/files/jobs',
  access: { onServer: 'viewServerFiles' },
  params: OnServer,
  answer: z.array(FileJob),
})

/** Ends work that is under way; what it has written so far and nobody asked for is removed. */
export const cancelFileJob = nodeCall({
  method: 'DELETE',
  path: '/daemon/server/:id/files/jobs/:job',
  access: { onServer: 'putServerFiles' },
  params: OnServer.extend({ job: z.string().max(64) }),
})

/** Files and folders below `path` whose name holds the text, whatever the case of its letters. */
export const searchFiles = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/files/search',
  access: { onServer: 'viewServerFiles' },
  params: OnServer,
  query: z.object({ path: FilePath.default(''), text: z.string().min(1).max(limits.nameBytes) }),
  answer: z.object({
    /** `path` leads to the folder that it is in. */
    found: z.array(FileEntry.extend({ path: z.string() })),
    /** False when there was more than is shown, or the search took too long. */
    isComplete: z.boolean(),
  }),
})

/** What the server's files take up on the disk. It is measured when asked for, and not more often than once a minute. */
export const getDiskUsage = nodeCall({
  method: 'GET',
  path: '/daemon/server/:id/files/usage',
  access: { onServer: 'viewServerFiles' },
  params: OnServer,
  answer: z.object({
    bytes: z.number(),
    files: z.number(),
    folders: z.number(),
    /** What the disk has left. */
    freeBytes: z.number(),
    /** ISO 8601; missing while it is being measured for the first time. */
    measuredAt: z.string().optional(),
  }),
})

/** Several files and folders as one zip, packed while it is sent. */
export const downloadArchive = nodeCall({
  method: 'POST',
  path: '/daemon/server/:id/files/download',
  access: { onServer: 'viewServerFiles' },
  params: OnServer,
  body: Paths,
  answer: z.unknown(),
  bytes: 'answered',
})

/**
 * Uploads that can be taken up again, by the tus protocol (version 1.0.0, with creation and termination). `Upload-Metadata`
 * names the `path` of the file and, if the default `refuse` is not wanted, what becomes of an `existing` one. The file
 * appears when all bytes are there; until then they are nobody's file. `Location` is a path below `/proxy`.
 */
const uploading = { access: { onServer: 'putServerFiles' } } as const
const OneUpload = OnServer.extend({ upload: z.string().regex(/^[0-9a-f]{32}$/) })

const tus = { 'Tus-Resumable': '`1.0.0`, the version of the protocol.' } as const

export const createUpload = nodeCall({
  ...uploading,
  method: 'POST',
  path: '/daemon/server/:id/uploads',
  params: OnServer,
  bytes: 'sent',
  status: 201,
  headers: {
    ...tus,
    'Upload-Length': 'The bytes of the whole file.',
    'Upload-Metadata': '`path`, and `existing` if it is not `refuse`: each with its value in base64.',
  },
})
export const getUploadOffset = nodeCall({
  ...uploading,
  method: 'HEAD',
  path: '/daemon/server/:id/uploads/:upload',
  params: OneUpload,
  status: 200,
  headers: tus,
})
export const appendUpload = nodeCall({
  ...uploading,
  method: 'PATCH',
  path: '/daemon/server/:id/uploads/:upload',
  params: OneUpload,
  bytes: 'sent',
  headers: { ...tus, 'Upload-Offset': 'How many bytes are there already.' },
})
export const removeUpload = nodeCall({
  ...uploading,
  method: 'DELETE',
  path: '/daemon/server/:id/uploads/:upload',
  params: OneUpload,
  headers: tus,
})

/** Uploads that are not finished; they are forgotten after `limits.uploadKeptMs`. */
export const getUploads = nodeCall({
  ...uploading,
  method: 'GET',
  path: '/daemon/server/:id/uploads',
  params: OnServer,
  answer: z.array(
    z.object({
      id: z.string(),
      path: z.string(),
      /** Bytes that are there, and bytes in all. */
      offset: z.number(),
      size: z.number(),
      /** ISO 8601. */
      createdAt: z.string(),
    }),
  ),
})

/**
 * A browser cannot send a bearer token with a download: it asks for a link first. The link is good once, for
 * `limits.downloadTicketMs`, and only as long as whoever asked for it may read the files. One path that is a file is
 * sent as it is; a folder, or several, as a zip.
 */
export const createDownload = call({
  method: 'POST',
  path: '/api/servers/:id/downloads',
  access: { onServer: 'viewServerFiles' },
  params: OnServer,
  body: z.strictObject({ paths: Paths }),
  answer: z.object({ url: z.string() }),
})

export const download = call({
  method: 'GET',
  path: '/api/downloads/:ticket',
  access: 'public',
  params: z.object({ ticket: z.string().max(100) }),
  answer: z.unknown(),
  bytes: 'answered',
  refuses: [403, 502],
})
