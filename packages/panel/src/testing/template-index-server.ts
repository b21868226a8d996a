import { createServer, type ServerResponse } from 'node:http'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'

/** A template index on loopback whose response is set by a test. */
export class TemplateIndexServer {
  requests: { url: string; authorization: string | undefined }[] = []
  answer: (response: ServerResponse, path: string) => void = (response) => void response.end('[]')
  readonly #listener = createServer((request, response) => {
    const { url = '', headers } = request
    this.requests.push({ url, authorization: headers.authorization })
    this.answer(response, url)
  })

  async open(): Promise<void> {
    await new Promise<void>((opened) => this.#listener.listen(0, '127.0.0.1', opened))
  }

  get url(): string {
    const address = this.#listener.address()
    return `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`
  }

  holds(bytes: string | Buffer): void {
    this.answer = (response) => void response.end(bytes)
  }

  async close(): Promise<void> {
    this.#listener.closeAllConnections()
    await new Promise((closed) => this.#listener.close(closed))
  }
}

/** A snapshot of a repository as `.tar.gz`, by path. */
export async function readArchive(files: Readonly<Record<string, string>>): Promise<Buffer> {
  const archive = pack()
  for (const [name, text] of Object.entries(files)) archive.entry({ name }, text)
  archive.finalize()
  const parts: Buffer[] = []
  for await (const part of archive) parts.push(part as Buffer)
  return gzipSync(Buffer.concat(parts))
}
