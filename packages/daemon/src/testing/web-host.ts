import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** A web host on loopback with scripted responses, which records requests. */
export interface WebHost extends AsyncDisposable {
  /** `127.0.0.1:port`, in the format of the allow list. */
  readonly address: string
  readonly port: number
  readonly requests: IncomingMessage[]
  url(path: string): URL
  answer(path: string, answer: Answer): void
  /** Sets the response: text and bytes unchanged, anything else as JSON. */
  give(path: string, content: string | Uint8Array | object): void
  /** The requested paths, with their queries. */
  paths(): string[]
}

export async function startWebHost(): Promise<WebHost> {
  const answers = new Map<string, Answer>()
  const requests: IncomingMessage[] = []
  const listener = createServer((request, response) => {
    requests.push(request)
    const { pathname } = new URL(request.url ?? '/', 'http://host')
    const answer = answers.get(pathname)
    if (answer) answer(request, response)
    else response.writeHead(404).end('no such page')
  })
  await once(listener.listen(0, '127.0.0.1'), 'listening')
  const bound = listener.address()
  const port = typeof bound === 'object' && bound !== null ? bound.port : 0
  return {
    address: `127.0.0.1:${port}`,
    port,
    requests,
    url: (path) => new URL(path, `http://127.0.0.1:${port}`),
    answer: (path, answer) => void answers.set(path, answer),
    give(path, content) {
      const isWhole = typeof content === 'string' || content instanceof Uint8Array
      answers.set(path, (_, response) => response.end(isWhole ? content : JSON.stringify(content)))
    },
    paths: () => requests.map(({ url = '' }) => url),
    async [Symbol.asyncDispose]() {
      listener.closeAllConnections()
      listener.close()
      await once(listener, 'close')
    },
  }
}
