import { putFile } from '@innkeeper/contract/servers/files'
import { toPreconditionHeaders } from '../../api/request.ts'
import { uploadBytes } from '../../api/upload-download.ts'
import { withRetry } from './retry.ts'
import { checkReadable, type UploadFileOptions } from './upload-options.ts'

/** A file up to this size is uploaded in one request, a larger one in chunks. */
export const maxSingleRequestBytes = 8 * 1024 ** 2

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
