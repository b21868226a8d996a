import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { vi } from 'vitest'
import { FakePanel } from './fake-panel.ts'

declare const jsdom: { reconfigure: (settings: { url: string }) => void }

const realFetch = globalThis.fetch

interface StoredFile {
  readonly bytes: Buffer
  readonly version: number
}

interface PartialUpload {
  readonly path: string
  readonly existing: string
  readonly size: number
  bytes: Buffer
}

/** What a test does to a request before the response; true when it sent one. */
export type Interceptor = (request: IncomingMessage, response: ServerResponse) => boolean | Promise<boolean>

/**
 * A panel with the files of one server, on a real socket: listing, reading, writing with versions, and uploads by the
 * tus protocol. The page of the test is made to come from it, so that its requests arrive here.
 */
export class FilePanel {
  readonly files = new Map<string, StoredFile>()
  readonly folders = new Set<string>([''])
  readonly uploads = new Map<string, PartialUpload>()
  /** `PUT plugins/a.jar`, in the order they came. */
  readonly requests: string[] = []
  readonly authorizations = new Set<string | undefined>()
  /** Called before every response. */
  intercept: Interceptor = () => false
  readonly #server: Server
  #version = 0

  private constructor(server: Server) {
    this.#server = server
  }

  static async open(): Promise<FilePanel> {
    const server = createServer((request, response) => void panel.#serve(request, response))
    const panel = new FilePanel(server)
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    const origin = `http://127.0.0.1:${port}`
    jsdom.reconfigure({ url: `${origin}/` })
    vi.stubGlobal('fetch', panel.fetch)
    return panel
  }

  readonly fetch = (path: string | URL | Request, init?: RequestInit): Promise<Response> =>
    realFetch(new URL(String(path), location.href), init)

  /** A panel for `openPart` that responds to requests for the node from here, and to all others as always. */
  withFiles(): FakePanel {
    const fake = new FakePanel()
    const { fetch } = fake
    return Object.assign(fake, {
      fetch: (path: string, init?: RequestInit) =>
        path.startsWith('/proxy/') ? this.fetch(path, init) : fetch(path, init),
    })
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
    vi.unstubAllGlobals()
  }

  put(path: string, content: string | Uint8Array): void {
    for (let at = path.indexOf('/'); at !== -1; at = path.indexOf('/', at + 1)) this.folders.add(path.slice(0, at))
    this.files.set(path, { bytes: Buffer.from(content), version: ++this.#version })
  }

  getText(path: string): string | undefined {
    return this.files.get(path)?.bytes.toString()
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // To jsdom the page still comes from where it was opened first: it asks whether it may.
    for (const [name, value] of Object.entries(permission)) response.setHeader(name, value)
    if (request.method === 'OPTIONS') return void response.writeHead(204).end()
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://panel')
    const [, kind = '', rest = ''] = /^\/proxy\/daemon\/server\/[^/]+\/(file|uploads)\/?(.*)$/.exec(pathname) ?? []
    const path = rest.split('/').map(decodeURIComponent).join('/')
    this.requests.push(`${request.method} ${kind === 'file' ? path : pathname.split('/').slice(5).join('/')}`)
    this.authorizations.add(request.headers.authorization)
    try {
      if (await this.intercept(request, response)) return
      const body = await readBody(request)
      if (kind === 'file') this.#serveFile(request, response, path, body, searchParams.has('folder'))
      else if (kind === 'uploads') this.#serveUpload(request, response, rest, body)
      else refuse(response, 'ErrNotFound')
    } catch {
      // The page aborted the request.
      response.destroy()
    }
  }

  #serveFile(
    { method, headers }: IncomingMessage,
    response: ServerResponse,
    path: string,
    body: Buffer,
    folder: boolean,
  ) {
    const kept = this.files.get(path)
    if (method === 'GET' && kept) return respond(response, 200, kept.bytes, { etag: `"${kept.version}"` })
    if (method === 'GET' && this.folders.has(path)) return respond(response, 200, JSON.stringify(this.#list(path)))
    if (method === 'GET') return refuse(response, 'ErrFileNotFound')
    if (folder) {
      this.folders.add(path)
      return respond(response, 204)
    }
    if (headers['if-none-match'] === '*' && kept) return refuse(response, 'ErrFileExists')
    const isStale = headers['if-match'] !== undefined && headers['if-match'] !== `"${kept?.version}"`
    if (isStale) return refuse(response, 'ErrStaleVersion')
    this.put(path, body)
    respond(response, 204, '', { etag: `"${this.#version}"` })
  }

  #serveUpload({ method, headers }: IncomingMessage, response: ServerResponse, id: string, body: Buffer) {
    if (method === 'GET') {
      const list = [...this.uploads].map(([known, { path, bytes, size }]) => {
        return { id: known, path, offset: bytes.length, size, createdAt: new Date(0).toISOString() }
      })
      return respond(response, 200, JSON.stringify(list))
    }
    if (method === 'POST') {
      const metadata = new Map(
        String(headers['upload-metadata'])
          .split(',')
          .map((pair) => pair.split(' ') as [string, string]),
      )
      const read = (name: string) => Buffer.from(metadata.get(name) ?? '', 'base64').toString()
      const size = Number(headers['upload-length'])
      const upload = randomBytes(16).toString('hex')
      if (read('existing') !== 'replace' && this.files.has(read('path'))) return refuse(response, 'ErrFileExists')
      this.uploads.set(upload, { path: read('path'), existing: read('existing'), size, bytes: Buffer.alloc(0) })
      return respond(response, 201, '', { location: `/proxy/daemon/server/lobby/uploads/${upload}` })
    }
    const upload = this.uploads.get(id)
    if (!upload) return refuse(response, 'ErrUploadNotFound')
    if (method === 'DELETE') {
      this.uploads.delete(id)
      return respond(response, 204)
    }
    if (method === 'PATCH') {
      if (Number(headers['upload-offset']) !== upload.bytes.length) {
        return refuse(response, 'ErrUploadOffset')
      }
      upload.bytes = Buffer.concat([upload.bytes, body])
      if (upload.bytes.length === upload.size) {
        if (upload.existing !== 'replace' && this.files.has(upload.path)) return refuse(response, 'ErrFileExists')
        this.uploads.delete(id)
        this.put(upload.path, upload.bytes)
      }
    }
    const offsets = { 'upload-offset': String(upload.bytes.length), 'upload-length': String(upload.size) }
    respond(response, method === 'PATCH' ? 204 : 200, '', offsets)
  }

  #list(folder: string): unknown[] {
    const inside = folder === '' ? '' : `${folder}/`
    const isIn = (path: string) => path !== '' && path.startsWith(inside) && !path.slice(inside.length).includes('/')
    return [
      ...[...this.folders].filter(isIn).map((path) => ({ name: path.slice(inside.length), isFile: false })),
      ...[...this.files]
        .filter(([path]) => isIn(path))
        .map(([path, { bytes }]) => ({ name: path.slice(inside.length), isFile: true, size: bytes.length })),
    ]
  }
}

const permission = {
  'access-control-allow-origin': '*',
  'access-control-allow-methods': 'GET, PUT, POST, PATCH, HEAD, DELETE',
  'access-control-allow-headers':
    'authorization, content-type, if-match, if-none-match, tus-resumable, upload-length, upload-offset, upload-metadata',
  'access-control-expose-headers': 'etag, location, upload-offset, upload-length',
}

/** Refuses a request as a panel does. */
export function refuse(response: ServerResponse, code: RefusalCode): void {
  const refusal = new Refusal(code)
  respond(response, refusal.status, JSON.stringify(toEnvelope(refusal)))
}

function respond(
  response: ServerResponse,
  status: number,
  body: string | Buffer = '',
  headers: Record<string, string> = {},
) {
  response.writeHead(status, { 'tus-resumable': '1.0.0', ...headers }).end(body)
}

async function readBody(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}
