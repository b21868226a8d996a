import { getPanelUrl } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { createUpload, getUploadOffset, getUploads, removeUpload } from '@innkeeper/contract/servers/files'
import { DetailedError, Upload } from 'tus-js-client'
import { getRequestDetails, isRefusal, notifySessionLost, request } from '../../api/request.ts'
import { getSessionToken } from '../../api/token.ts'
import { toRefusal, unreachableError } from '../../api/upload-download.ts'
import {
  activeWithinMs,
  findResumableUpload,
  releaseUpload,
  removeResumableUpload,
  saveResumableUpload,
} from './resume-store.ts'
import { withRetry } from './retry.ts'
import { cancelReason, checkReadable, type UploadFileOptions } from './upload-options.ts'

export const chunkBytes = 32 * 1024 ** 2

/** How often an upload that the node has deleted is started again. */
const maxRestarts = 3

/**
 * Uploads a file in chunks by the tus protocol, resuming an earlier upload of it, also of before a reload. Retries use
 * `withRetry` instead of tus's `retryDelays`, because they depend on the error and on asynchronous checks.
 */
export async function uploadResumable(options: UploadFileOptions): Promise<void> {
  const { server, path, file, existing, signal } = options
  let id = options.resumes ?? findResumableUpload(options)?.upload
  let restarts = 0
  const save = (upload: string) => {
    id = upload
    const { size, lastModified } = file
    saveResumableUpload({ server, upload, path, size, lastModified, existing, movedAt: Date.now() })
  }
  const attempt = async (onResponse: () => void) => {
    try {
      await uploadOnce(options, id, save, onResponse)
    } catch (error) {
      if (id === undefined || getRequestDetails(error)?.status !== 404) throw error
      // 404 can also mean that the server is not available at the moment.
      const uploads = await request(getUploads, { params: { id: server } }, { signal })
      if (uploads.some((upload) => upload.id === id) || ++restarts >= maxRestarts) throw error
      removeResumableUpload(id)
      id = undefined
      await uploadOnce(options, id, save, onResponse)
    }
  }
  const release = () => (id === undefined ? undefined : releaseUpload(id))
  window.addEventListener('pagehide', release)
  try {
    await withRetry(attempt, { ...options, getFatalError: () => checkReadable(file) })
    if (id !== undefined) removeResumableUpload(id)
  } catch (error) {
    release()
    // After a conflict a new upload is needed: `existing` cannot be changed for one that has started.
    const isObsolete = signal.reason === cancelReason || isRefusal(error, 'ErrFileExists')
    if (id !== undefined && isObsolete) {
      removeResumableUpload(id)
      // If this request fails, the node deletes the upload when it expires.
      await request(removeUpload, { params: { id: server, upload: id } }).catch(() => undefined)
    }
    throw error
  } finally {
    window.removeEventListener('pagehide', release)
  }
}

/** One attempt: starts an upload, or resumes the one with this id at the node's offset. */
function uploadOnce(
  { server, path, file, existing, signal, onProgress }: UploadFileOptions,
  id: string | undefined,
  save: (upload: string) => void,
  onResponse: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    let savedAt = 0
    let uploadId: string | undefined
    let token: string | undefined
    const upload = new Upload(file, {
      endpoint: id === undefined ? toUrl(getPanelUrl(createUpload, { params: { id: server } })) : null,
      uploadUrl: id === undefined ? null : toUrl(getPanelUrl(getUploadOffset, { params: { id: server, upload: id } })),
      metadata: { path, existing },
      chunkSize: chunkBytes,
      retryDelays: null,
      storeFingerprintForResuming: false,
      onBeforeRequest: (req) => {
        const url = req.getURL()
        // The URL comes from a `Location` header: never send the token to another origin.
        if (new URL(url).origin !== location.origin) throw new Error(`Upload URL of another origin: ${url}`)
        token = getSessionToken()
        if (token !== undefined) req.setHeader('authorization', `Bearer ${token}`)
      },
      onAfterResponse: (_, response) => notifySessionLost(response.getStatus(), token),
      onUploadUrlAvailable: () => {
        onResponse()
        // With an endpoint, tus would create a new upload when a HEAD request fails.
        upload.options.endpoint = null
        uploadId = /\/([0-9a-f]{32})$/.exec(new URL(upload.url ?? '', location.href).pathname)?.[1]
        if (uploadId === undefined) return
        save(uploadId)
        savedAt = Date.now()
      },
      onProgress: (sent) => {
        onProgress(sent)
        const now = Date.now()
        if (uploadId === undefined || now - savedAt < activeWithinMs / 4) return
        savedAt = now
        save(uploadId)
      },
      onChunkComplete: onResponse,
      onSuccess: () => resolve(),
      onError: (error) => reject(toError(error, token)),
    })
    signal.addEventListener(
      'abort',
      () => {
        void upload.abort()
        reject(signal.reason)
      },
      { once: true },
    )
    upload.start()
  })
}

const toUrl = (path: string) => new URL(path, location.href).href

/** Converts an error of tus to the `Refusal` that other requests reject with. */
function toError(error: Error | DetailedError, token: string | undefined): unknown {
  if (!(error instanceof DetailedError)) return error
  const { originalRequest, originalResponse, causingError } = error
  const [method, url] = [originalRequest.getMethod(), originalRequest.getURL()]
  if (!originalResponse) {
    // Without a response XMLHttpRequest rejects with an event; an Error was thrown by `onBeforeRequest`.
    return causingError instanceof Error ? causingError : unreachableError(method, url, token, error)
  }
  const status = originalResponse.getStatus()
  // A response to HEAD has no body with the code: all bytes are uploaded, but the file exists.
  if (method === 'HEAD' && status === 409) return new Refusal('ErrFileExists', {}, { cause: error })
  // A successful response without the protocol's headers comes from a proxy.
  if (status < 300) return new Refusal('ErrServiceNotAvailable', {}, { cause: error })
  return toRefusal(method, url, { status, text: originalResponse.getBody() })
}
