import type { IncomingMessage } from 'node:http'
import type { Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Refusal } from '@innkeeper/contract/refusals'

/** The field of a form that a file is sent in. */
const field = 'file'

/** The bytes that a request brings: its body, or the file in its form. */
export async function receivedFile(request: IncomingMessage, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const type = request.headers['content-type'] ?? ''
  // To leave a request early must not close its connection: the answer still goes that way.
  if (!/^multipart\//i.test(type)) return request.iterator({ destroyOnReturn: false })
  return await fileInForm(request, type, signal)
}

async function fileInForm(request: IncomingMessage, type: string, signal: AbortSignal) {
  const form = formOf(request, type)
  const { promise, resolve, reject } = Promise.withResolvers<Readable>()
  let file: Readable | undefined
  form.on('file', (name: string, stream: Readable) => {
    // Whoever reads it hears it; a part that nobody reads has nothing to say.
    stream.on('error', () => {})
    if (name !== field || file) {
      stream.resume()
      return
    }
    file = stream
    resolve(stream)
  })
  form.once('finish', () => reject(new Refusal('ErrFieldRequired', { field })))
  // A form that breaks off ends the file with it, or there will be none.
  const fail = (cause: unknown) => {
    const reason = cause instanceof Error ? cause : new Error('The form is not whole.')
    request.unpipe(form)
    reject(new Refusal('ErrFieldInvalid', { field }, { cause: reason }))
    file?.destroy(reason)
  }
  form.on('error', fail)
  signal.addEventListener('abort', () => fail(signal.reason), { once: true })
  request.pipe(form)
  return whole(await promise)
}

async function* whole(file: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal('ErrFieldInvalid', { field }, { cause })
  }
}

function formOf(request: IncomingMessage, type: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...request.headers, 'content-type': type },
      limits: { fields: 20, fieldSize: 4096, files: 1, parts: 21, headerPairs: 50, headerSize: 16_384 },
    })
  } catch (cause) {
    throw new Refusal('ErrFieldInvalid', { field }, { cause })
  }
}
