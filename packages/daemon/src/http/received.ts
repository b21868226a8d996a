import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { PassThrough, type Readable } from 'node:stream'
import { Busboy, type BusboyInstance } from '@fastify/busboy'
import { Refusal } from '@innkeeper/contract/refusals'
import { passBytes } from '../files/young-garbage.ts'

/** The field of a form that a file is sent in. */
const field = 'file'

/** So little waits at each step on its way to the disk that it is gone before V8 counts it as old. */
const heldBytes = 128 * 1024

/**
 * The body of a request, apart from its connection: to leave it early must not close that, because the answer still goes
 * that way. Ends with the signal.
 */
export function bodyOf(request: IncomingMessage, signal: AbortSignal): Readable {
  const body = new PassThrough({ highWaterMark: heldBytes })
  const broken = () => {
    if (!request.readableEnded) body.destroy(new Refusal('ErrCancelled'))
  }
  const aborted = () => body.destroy(new Refusal('ErrCancelled'))
  request.once('error', broken).once('close', broken)
  signal.addEventListener('abort', aborted)
  if (signal.aborted) aborted()
  // Whoever reads it hears it.
  body.on('error', () => {})
  body.once('close', () => {
    request
      .off('error', broken)
      .off('close', broken)
      .on('error', () => {})
    signal.removeEventListener('abort', aborted)
    // What is left of it goes nowhere.
    request.unpipe(body)
    request.resume()
  })
  request.on('data', (chunk: Buffer) => passBytes(chunk.length))
  return request.pipe(body)
}

/** The bytes that a request brings: its body, or the file in its form. */
export async function receivedFile(request: IncomingMessage, signal: AbortSignal): Promise<AsyncIterable<Uint8Array>> {
  const type = request.headers['content-type'] ?? ''
  const body = bodyOf(request, signal)
  return /^multipart\//i.test(type) ? await fileInForm(body, request.headers, type) : body
}

async function fileInForm(body: Readable, headers: IncomingHttpHeaders, type: string) {
  const form = formOf(headers, type)
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
    body.destroy()
    reject(new Refusal('ErrFieldInvalid', { field }, { cause: reason }))
    file?.destroy(reason)
  }
  form.on('error', fail)
  body.on('error', fail)
  body.pipe(form)
  return whole(await promise)
}

async function* whole(file: Readable): AsyncGenerator<Uint8Array> {
  try {
    yield* file
  } catch (cause) {
    throw cause instanceof Refusal ? cause : new Refusal('ErrFieldInvalid', { field }, { cause })
  }
}

function formOf(headers: IncomingHttpHeaders, type: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': type },
      highWaterMark: heldBytes,
      fileHwm: heldBytes,
      limits: { fields: 20, fieldSize: 4096, files: 1, parts: 21, headerPairs: 50, headerSize: 16_384 },
    })
  } catch (cause) {
    throw new Refusal('ErrFieldInvalid', { field }, { cause })
  }
}
