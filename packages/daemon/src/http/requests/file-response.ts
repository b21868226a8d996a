import type { FileHandle } from 'node:fs/promises'
import { contentDisposition } from '@innkeeper/contract/text/content-disposition'
import { closeOnError } from '../../errors/cleanup.ts'
import { getBytes } from '../../files/read/bytes.ts'
import { getVersionedInfo } from '../../files/read/file-info.ts'
import { type Reply, StreamResponse } from './serve.ts'

interface FetchJsonOptions {
  readonly header: (name: string) => string | undefined
  readonly reply: Reply
  readonly signal: AbortSignal
}

/** A download: browsers must save it, never display or run it. */
export function setAttachmentHeaders(reply: Reply, name: string): void {
  reply.header('Content-Type', 'application/octet-stream')
  reply.header('Content-Disposition', contentDisposition(name))
  reply.header('X-Content-Type-Options', 'nosniff')
  reply.header('Content-Security-Policy', "default-src 'none'; sandbox")
}

/** Sends a file or one range of it, unless the client has it already. Closes the file. */
export async function fileResponse(
  file: FileHandle,
  name: string,
  { header, reply, signal }: FetchJsonOptions,
): Promise<StreamResponse> {
  const info = getVersionedInfo(name, await closeOnError(file, () => file.stat({ bigint: true })))
  const { size, modified } = info
  const tag = `"${info.version}"`
  reply.header('ETag', tag)
  reply.header('Last-Modified', modified.toUTCString())
  reply.header('Accept-Ranges', 'bytes')
  if (isKnown(header, tag, modified)) {
    await file.close()
    reply.status(304)
    return new StreamResponse()
  }

  const range = isCurrentRange(header('if-range'), tag, modified) ? parseRange(header('range'), size) : undefined
  if (range === 'beyond') {
    await file.close()
    reply.status(416)
    reply.header('Content-Range', `bytes */${size}`)
    return new StreamResponse()
  }
  const { start, end } = range ?? { start: 0, end: size }
  if (range) {
    reply.status(206)
    reply.header('Content-Range', `bytes ${start}-${end - 1}/${size}`)
  }
  setAttachmentHeaders(reply, name)
  return new StreamResponse(getBytes(file, { start, end, signal }), end - start)
}

/** Whether the client has this version (If-None-Match, If-Modified-Since). */
function isKnown(header: FetchJsonOptions['header'], tag: string, modified: Date): boolean {
  const known = header('if-none-match')
  if (known !== undefined)
    return known === '*' || known.split(',').some((candidate) => candidate.trim().replace(/^W\//, '') === tag)
  const since = Date.parse(header('if-modified-since') ?? '')
  return getSeconds(modified) <= since / 1000
}

/** Whether the partial content of the client is of this version (If-Range). */
function isCurrentRange(condition: string | undefined, tag: string, modified: Date): boolean {
  if (condition === undefined) return true
  if (condition.startsWith('"')) return condition === tag
  return Date.parse(condition) / 1000 === getSeconds(modified)
}

const getSeconds = (date: Date): number => Math.floor(date.getTime() / 1000)

/** One range with an exclusive end; undefined for none, several or an invalid one: then the whole file is sent. */
function parseRange(text: string | undefined, size: number): { start: number; end: number } | 'beyond' | undefined {
  const { from = '', to = '' } = /^bytes=\s*(?<from>\d{0,15})-(?<to>\d{0,15})\s*$/i.exec(text ?? '')?.groups ?? {}
  if (from === '' && to === '') return undefined
  if (from === '') return to === '0' || size === 0 ? 'beyond' : { start: Math.max(0, size - Number(to)), end: size }
  const [start, last] = [Number(from), to === '' ? size - 1 : Number(to)]
  if (last < start && to !== '') return undefined
  return start >= size ? 'beyond' : { start, end: Math.min(last + 1, size) }
}
