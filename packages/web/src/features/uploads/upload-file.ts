import { putFile } from '@innkeeper/contract/files'
import { uploadBytes } from '../../api/upload-download.ts'
import { toPreconditionHeaders } from '../../api/versions.ts'
import { withRetry } from './retry.ts'

/** A file up to this size is uploaded in one request, a larger one in chunks. */
export const maxSingleRequestBytes = 8 * 1024 ** 2

export interface UploadFileOptions {
  readonly server: string
  readonly path: string
  readonly file: File
  readonly existing: 'refuse' | 'replace'
  /** The id of the upload to resume. */
  readonly resumes?: string
  readonly signal: AbortSignal
  readonly onProgress: (sent: number) => void
  readonly onStalled: () => void
}

/** The abort reason of a canceled upload, which is deleted. After any other abort it can be resumed. */
export const cancelReason = new DOMException('The user canceled the upload', 'AbortError')

/** The file was changed, moved or deleted on the user's device, so the browser cannot read it any more. */
export class UnreadableFileError extends Error {}

/** Uploads a file: a small one in one request, a large one in chunks, so that a lost connection costs little. */
export async function uploadFile(options: UploadFileOptions): Promise<void> {
  if (options.file.size <= maxSingleRequestBytes && options.resumes === undefined) return uploadWhole(options)
  const { uploadResumable } = await import('./resumable-upload.ts')
  return uploadResumable(options)
}

function uploadWhole(options: UploadFileOptions): Promise<void> {
  const { server, path, file, existing, signal, onProgress } = options
  const input = { params: { id: server, path }, query: {} }
  const headers = {
    'content-type': 'application/octet-stream',
    ...(existing === 'replace' ? {} : toPreconditionHeaders('new')),
  }
  return withRetry(async () => void (await uploadBytes(putFile, input, file, { headers, signal, onProgress })), {
    ...options,
    getFatalError: () => checkReadable(file),
  })
}

/** Browsers report an unreadable file like a lost network, so this reads a byte. Returns the error, if any. */
export async function checkReadable(file: File): Promise<Error | undefined> {
  try {
    await file.slice(0, 1).arrayBuffer()
    return undefined
  } catch (cause) {
    return new UnreadableFileError(file.name, { cause })
  }
}
