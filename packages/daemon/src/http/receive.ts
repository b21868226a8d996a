import type { IncomingMessage } from 'node:http'
import { Refusal } from '@innkeeper/contract/refusals'
import type { Sink } from '../files/write/buffered-file-writer.ts'
import { boundaryIn, FileInForm, type Sieve } from './form.ts'

interface Receiving {
  /** More bytes than these are refused. */
  readonly limit: number
  readonly signal: AbortSignal
}

/** Takes in the file that a request brings: its body, or the file in its form. @throws Refusal */
export async function receiveFile(request: IncomingMessage, sink: Sink, receiving: Receiving): Promise<void> {
  const type = request.headers['content-type'] ?? ''
  const sieve = /^multipart\//i.test(type) ? new FileInForm(boundaryIn(type)) : all
  await receive(request, sieve, sink, receiving)
}

/** Takes in the body of a request, whatever it says of it. @throws Refusal */
export async function receiveBody(request: IncomingMessage, sink: Sink, receiving: Receiving): Promise<void> {
  await receive(request, all, sink, receiving)
}

const all: Sieve = { sift: (bytes) => [bytes], isDone: false, end() {} }

/** Passes the body through the sieve into the sink. Pauses the request while the sink is full. */
async function receive(request: IncomingMessage, sieve: Sieve, sink: Sink, receiving: Receiving): Promise<void> {
  const { limit, signal } = receiving
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let isOver = false
  const over = (problem?: unknown) => {
    isOver = true
    if (problem === undefined) resolve()
    else reject(problem)
  }
  let size = 0
  const take = (part: Buffer) => {
    if (isOver) return
    try {
      let hasRoom = true
      for (const bytes of sieve.sift(part)) {
        size += bytes.length
        if (size > limit) throw new Refusal('ErrBodyTooLarge', { max: limit })
        hasRoom = sink.push(bytes)
      }
      if (sieve.isDone) over()
      else if (!hasRoom) {
        request.pause()
        sink.drained().then(() => request.resume(), over)
      }
    } catch (error) {
      over(error)
    }
  }
  const end = () => {
    try {
      sieve.end()
      over()
    } catch (error) {
      over(error)
    }
  }
  const breakOff = () => over(new Refusal('ErrCancelled'))

  request.on('data', take).once('end', end).once('error', breakOff).once('close', breakOff)
  signal.addEventListener('abort', breakOff)
  if (signal.aborted) breakOff()
  try {
    await promise
  } finally {
    request.off('data', take).off('end', end).off('error', breakOff).off('close', breakOff)
    request.on('error', () => {
      // Whoever sent it hears of it by the answer, or is gone.
    })
    signal.removeEventListener('abort', breakOff)
    // What is left of it goes nowhere: to leave it would close the connection, which the answer still needs.
    request.resume()
  }
}
