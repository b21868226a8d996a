import { panelUrlOf } from '@innkeeper/contract/call'
import { createUpload, getUploadOffset, getUploads, removeUpload } from '@innkeeper/contract/files'
import { limits } from '@innkeeper/contract/limits'
import { Refusal } from '@innkeeper/contract/refusals'
import {
  DetailedError,
  type HttpRequest,
  type HttpResponse,
  type HttpStack,
  Upload,
  type UploadOptions,
} from 'tus-js-client'
import { isRefusal, request } from '../../api/request.ts'
import { getRequestDetails } from '../../api/request-details.ts'
import { toRefusal, type XhrResponse, xhrUpload } from '../../api/upload-download.ts'
import { forget, remember, rememberedFor, rest } from './memory.ts'
import { persist } from './patience.ts'
import { cancelled, type Sending, unreadable } from './transport.ts'

/** How often an upload that the node has forgotten is begun anew. */
const beginnings = 3

/** Sends a file in pieces; goes on where an earlier try, even one before a reload, came to. Cancelling discards it. */
export async function sendInPieces(sending: Sending): Promise<void> {
  const { server, path, file, existing, signal } = sending
  let id = sending.resumes ?? rememberedFor(sending)?.upload
  let begun = 0
  const keep = (upload: string) => {
    id = upload
    const { size, lastModified } = file
    remember({ server, upload, path, size, lastModified, existing, movedAt: Date.now() })
  }
  const attempt = async (onHeard: () => void) => {
    try {
      await onePass(sending, id, keep, onHeard)
    } catch (error) {
      if (id === undefined || getRequestDetails(error)?.status !== 404) throw error
      // It may also be the server that is not there, and may come back.
      const known = await request(getUploads, { params: { id: server } }, { signal })
      if (known.some(({ id: one }) => one === id) || ++begun >= beginnings) throw error
      forget(id)
      id = undefined
      await onePass(sending, id, keep, onHeard)
    }
  }
  const leave = () => (id === undefined ? undefined : rest(id))
  window.addEventListener('pagehide', leave)
  try {
    await persist(attempt, { ...sending, hopeless: () => unreadable(file) })
    if (id !== undefined) forget(id)
  } catch (error) {
    leave()
    // What somebody chooses for a name that is taken cannot be told to an upload that has begun.
    const isUseless = signal.reason === cancelled || isRefusal(error, 'ErrFileExists')
    if (id !== undefined && isUseless) {
      forget(id)
      // The node forgets it by itself if this does not reach it.
      await request(removeUpload, { params: { id: server, upload: id } }).catch(() => undefined)
    }
    throw error
  } finally {
    window.removeEventListener('pagehide', leave)
  }
}

function onePass(
  { server, path, file, existing, signal, onProgress }: Sending,
  id: string | undefined,
  keep: (upload: string) => void,
  onHeard: () => void,
): Promise<void> {
  return new Promise((resolve, reject) => {
    const goOn = {
      endpoint: null,
      uploadUrl: absolute(panelUrlOf(getUploadOffset, { params: { id: server, upload: id } })),
    }
    const begin = { endpoint: absolute(panelUrlOf(createUpload, { params: { id: server } })), uploadUrl: null }
    let moved = 0
    let current: string | undefined
    const upload = new Upload(file, {
      ...(id === undefined ? begin : goOn),
      metadata: { path, existing },
      chunkSize: limits.uploadPieceBytes,
      // Whether to try again is for `persist` to say, and what to remember for us.
      retryDelays: null,
      storeFingerprintForResuming: false,
      httpStack: new Stack(signal),
      fileReader: { openFile },
      onUploadUrlAvailable: () => {
        onHeard()
        // Else a node that is away for a moment would be asked for a new upload.
        upload.options.endpoint = null
        current = /\/([0-9a-f]{32})$/.exec(new URL(upload.url ?? '', location.href).pathname)?.[1]
        if (current === undefined) return
        keep(current)
        moved = Date.now()
      },
      onProgress: (sent) => {
        onProgress(sent)
        const now = Date.now()
        if (current === undefined || now - moved < limits.uploadActiveMs / 4) return
        moved = now
        keep(current)
      },
      onChunkComplete: onHeard,
      onSuccess: () => resolve(),
      onError: (error) => reject(reasonOf(error)),
    } satisfies UploadOptions)
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

const absolute = (path: string) => new URL(path, location.href).href

/** Why a pass ended, as the rest of the app knows reasons. */
function reasonOf(error: Error | DetailedError): unknown {
  if (!(error instanceof DetailedError)) return error
  const { originalRequest, originalResponse, causingError } = error
  if (!originalResponse) return causingError ?? error
  const answer: XhrResponse = {
    status: originalResponse.getStatus(),
    text: originalResponse.getBody(),
    header: () => null,
  }
  // To this question there is no body: all bytes are there, and the file cannot appear.
  const isRefused = originalRequest.getMethod() === 'HEAD' && answer.status === 409
  if (isRefused) return new Refusal('ErrFileExists', {}, { cause: error })
  // An answer that should have been a success but is none of this protocol comes from something in between.
  if (answer.status < 300) return new Refusal('ErrServiceNotAvailable', {}, { cause: error })
  return toRefusal(originalRequest.getMethod(), originalRequest.getURL(), answer)
}

/** The requests of the protocol, made like all others of this app: with the token of the moment, to our own panel only. */
class Stack implements HttpStack {
  readonly #signal: AbortSignal

  constructor(signal: AbortSignal) {
    this.#signal = signal
  }

  createRequest(method: string, url: string): HttpRequest {
    if (new URL(url, location.href).origin !== location.origin) throw new Error(`not our panel: ${url}`)
    const headers: Record<string, string> = {}
    const stopping = new AbortController()
    const signal = AbortSignal.any([this.#signal, stopping.signal])
    let onProgress: (sent: number) => void = () => undefined
    return {
      getMethod: () => method,
      getURL: () => url,
      setHeader: (header, value) => {
        headers[header] = value
      },
      getHeader: (header) => headers[header],
      setProgressHandler: (handler) => {
        onProgress = handler
      },
      send: async (body: Blob | null) => answered(await xhrUpload({ method, url, body, headers, signal, onProgress })),
      abort: async () => stopping.abort(),
      getUnderlyingObject: () => undefined,
    }
  }

  getName(): string {
    return 'innkeeper'
  }
}

function answered({ status, text, header }: XhrResponse): HttpResponse {
  return {
    getStatus: () => status,
    getHeader: (name) => header(name) ?? undefined,
    getBody: () => text,
    getUnderlyingObject: () => undefined,
  }
}

async function openFile(file: File) {
  return {
    size: file.size,
    slice: async (start: number, end: number) => ({ value: file.slice(start, end), done: end >= file.size }),
    close: () => undefined,
  }
}
