import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { putData } from '@innkeeper/contract/definitions/server-definition'
import * as files from '@innkeeper/contract/servers/files'
import { sendCommand } from '@innkeeper/contract/servers/node-servers'
import { createTask, putTask } from '@innkeeper/contract/servers/tasks'

/** Maximum size of a body that is inspected. */
const maxInspectedBytes = 16 * 1024

/**
 * Reads the subject of a request for the audit log from its body while that is proxied: files, settings, a task or a
 * command. The returned function returns it after the end of the body.
 */
export function bodyTarget(
  call: Endpoint,
  headers: IncomingHttpHeaders,
  body: Readable | undefined,
): (() => string | undefined) | undefined {
  if (call === files.createUpload) return () => pathInMetadata(headers['upload-metadata'])
  const parseTarget = targetParsers.get(call)
  if (!parseTarget || !body) return undefined

  const parts: Buffer[] = []
  let bytes = 0
  body.on('data', (part: Buffer) => {
    bytes += part.length
    // Chunks are copied, because their memory is freed after they are sent.
    if (bytes <= maxInspectedBytes) parts.push(Buffer.from(part))
  })
  // The listener must not start the stream; the proxy does.
  body.pause()
  return () => (bytes <= maxInspectedBytes ? parseTarget(Buffer.concat(parts).toString('utf8')) : undefined)
}

/** The path in the `Upload-Metadata` of a tus upload. */
function pathInMetadata(header: string | string[] | undefined): string | undefined {
  const coded = /(?:^|,)\s*path ([A-Za-z0-9+/=]+)/.exec(String(header ?? ''))?.[1]
  return coded === undefined ? undefined : Buffer.from(coded, 'base64').toString('utf8')
}

const targetParsers = new Map<Endpoint, (body: string) => string | undefined>([
  [sendCommand, (body) => body],
  [
    putData,
    (body) => {
      const { data } = putData.body.safeParse(parse(body))
      return data && Object.keys(data.data).join(', ')
    },
  ],
  ...[createTask, putTask].map(
    (call) => [call, (body: string) => call.body.safeParse(parse(body)).data?.name] as const,
  ),
  [
    files.moveFile,
    (body) => {
      const { data } = files.moveFile.body.safeParse(parse(body))
      return data && `${data.from} → ${data.to}`
    },
  ],
  [
    files.startFileJob,
    (body) => {
      const { data } = files.startFileJob.body.safeParse(parse(body))
      if (!data) return undefined
      const target = `${data.kind} ${data.kind === 'extract' ? data.path : listed(data.paths)}`
      return data.kind === 'delete' ? target : `${target} → ${data.destination}`
    },
  ],
  [
    files.downloadArchive,
    (body) => {
      const { data } = files.downloadArchive.body.safeParse(parse(body))
      return data && listed(data)
    },
  ],
])

/** `a, b and 3 more` */
export function listed(paths: readonly string[]): string {
  const [first = '', second, ...more] = paths
  if (second === undefined) return first
  return more.length > 0 ? `${first}, ${second} +${more.length}` : `${first}, ${second}`
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Invalid JSON is reported by the node.
    return undefined
  }
}
