import type { IncomingHttpHeaders } from 'node:http'
import type { Readable } from 'node:stream'
import type { Endpoint } from '@innkeeper/contract/api/endpoint'
import { putData } from '@innkeeper/contract/definitions/server-definition'
import * as files from '@innkeeper/contract/servers/files'
import { sendCommand } from '@innkeeper/contract/servers/node-servers'
import { playerActionEndpoints } from '@innkeeper/contract/servers/player-actions'
import { createTask, putTask } from '@innkeeper/contract/servers/tasks'
import { z } from 'zod'

/** Maximum size of a body that is inspected. */
const maxInspectedBytes = 16 * 1024

/** The subject of a request for the audit log, after the end of its body. */
interface BodyTarget {
  /** Files, settings, a task or a player. */
  target(): string | undefined
  /** What the console of the server gets, which may contain secrets. */
  consoleText(): string | undefined
}

/** Reads the subject of a request from its body while that is proxied. */
export function bodyTarget(
  call: Endpoint,
  headers: IncomingHttpHeaders,
  body: Readable | undefined,
): BodyTarget | undefined {
  const nothing = () => undefined
  if (call === files.createUpload)
    return { target: () => pathInMetadata(headers['upload-metadata']), consoleText: nothing }
  const [parseTarget = nothing, parseText = nothing] = [targetParsers.get(call), consoleTextParsers.get(call)]
  if (!body || (parseTarget === nothing && parseText === nothing)) return undefined

  const parts: Buffer[] = []
  let bytes = 0
  body.on('data', (part: Buffer) => {
    bytes += part.length
    // Chunks are copied, because their memory is freed after they are sent.
    if (bytes <= maxInspectedBytes) parts.push(Buffer.from(part))
  })
  // The listener must not start the stream; the proxy does.
  body.pause()
  const read = (parser: Parser) =>
    bytes <= maxInspectedBytes ? parser(Buffer.concat(parts).toString('utf8')) : undefined
  return { target: () => read(parseTarget), consoleText: () => read(parseText) }
}

/** Whether a request is one for the console of a server. */
export const hasConsoleText = (call: Endpoint): boolean => consoleTextParsers.has(call)

/** The path in the `Upload-Metadata` of a tus upload. */
function pathInMetadata(header: string | string[] | undefined): string | undefined {
  const coded = /(?:^|,)\s*path ([A-Za-z0-9+/=]+)/.exec(String(header ?? ''))?.[1]
  return coded === undefined ? undefined : Buffer.from(coded, 'base64').toString('utf8')
}

type Parser = (body: string) => string | undefined

const playerCalls = Object.values(playerActionEndpoints)

const consoleTextParsers = new Map<Endpoint, Parser>([
  [sendCommand, (body) => body],
  ...playerCalls.map((call) => {
    const parser: Parser = (body) => {
      const { player, reason, message } = PlayerBody.safeParse(parse(body)).data ?? {}
      return [player, reason, message].filter(Boolean).join(': ')
    }
    return [call, parser] as const
  }),
])

const PlayerBody = z.object({
  player: z.optional(z.string()),
  reason: z.optional(z.string()),
  message: z.optional(z.string()),
})

const targetParsers = new Map<Endpoint, Parser>([
  ...playerCalls.map((call) => [call, (body: string) => PlayerBody.safeParse(parse(body)).data?.player] as const),
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
