import type { IncomingMessage } from 'node:http'
import { getPanelUrl } from '@innkeeper/contract/api/endpoint'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import * as calls from '@innkeeper/contract/servers/files'
import type { Receive } from '../uploads/upload-folder.ts'
import { parseCount } from '../uploads/upload-info.ts'
import { maxUploadBytes, type Progress, type Uploads } from '../uploads/uploads.ts'
import { receiveBody } from './requests/receive.ts'
import type { Reply, Serve } from './requests/serve.ts'

type Header = (name: string) => string | undefined

const version = '1.0.0'
const bytesType = 'application/offset+octet-stream'

/** The HTTP part of the tus protocol. */
export function uploadRoutes(serve: Serve, uploads: Uploads): void {
  serve(calls.createUpload, async ({ params: { id }, header, request, reply, signal, username, permissions }) => {
    checkVersion(header, reply)
    if (header('upload-defer-length') !== undefined) throw new Refusal('ErrFieldRequired', { field: 'Upload-Length' })
    const size = parseCount('Upload-Length', header('upload-length'))
    const upload = await uploads.create(id, size, header('upload-metadata'), { username, permissions })
    reply.header('Location', getPanelUrl(calls.getUploadOffset, { params: { id, upload } }))
    // An upload without bytes is complete at once.
    if (size > 0 && header('content-type') !== bytesType) return
    setProgressHeaders(
      reply,
      await uploads.append(id, upload, { from: 0, receive: getBody(request), signal, permissions }),
    )
  })

  serve(calls.getUploadOffset, async ({ params, header, reply, permissions }) => {
    checkVersion(header, reply)
    const progress = await uploads.progress(params.id, params.upload, permissions)
    setProgressHeaders(reply, progress)
    reply.header('Upload-Length', String(progress.size))
  })

  serve(calls.appendUpload, async ({ params, header, request, reply, signal, permissions }) => {
    checkVersion(header, reply)
    if (header('content-type') !== bytesType) throw new Refusal('ErrFieldInvalid', { field: 'Content-Type' })
    const from = parseCount('Upload-Offset', header('upload-offset'))
    setProgressHeaders(
      reply,
      await uploads.append(params.id, params.upload, { from, receive: getBody(request), signal, permissions }),
    )
  })

  serve(calls.removeUpload, async ({ params, header, reply }) => {
    checkVersion(header, reply)
    await uploads.remove(params.id, params.upload)
  })

  serve(calls.getUploads, ({ params }) => uploads.list(params.id))
}

const getBody =
  (request: IncomingMessage): Receive =>
  (inlet, options) =>
    receiveBody(request, inlet, options)

/** Checks the protocol version; a client without one is assumed to use this one. */
function checkVersion(header: Header, reply: Reply): void {
  reply.header('Tus-Resumable', version)
  reply.header('Tus-Version', version)
  reply.header('Tus-Extension', 'creation,creation-with-upload,termination,expiration')
  reply.header('Tus-Max-Size', String(maxUploadBytes))
  const theirs = header('tus-resumable')
  if (theirs !== undefined && theirs !== version) throw new Refusal('ErrUploadVersion', { version })
}

function setProgressHeaders(reply: Reply, { offset, expires }: Progress): void {
  reply.header('Upload-Offset', String(offset))
  if (expires) reply.header('Upload-Expires', expires.toUTCString())
}
