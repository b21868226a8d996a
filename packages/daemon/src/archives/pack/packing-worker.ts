import { parentPort } from 'node:worker_threads'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { DeniedFiles } from '../../files/path/denied-files.ts'
import { RootFs } from '../../files/root.ts'
import { Progress } from '../../files/tree/progress.ts'
import { serializeError } from '../../workers/serialized-error.ts'
import { lowerPriority } from '../../workers/thread-priority.ts'
import { blockBytes } from './archive-pieces.ts'
import { pack } from './packing.ts'
import { chunksInTransit, type PackingMessage, type PackingRequest } from './packing-thread.ts'

/** Interval of progress messages and of flushing partial output. */
const reportEveryMs = 250

interface Packing {
  readonly output: ChunkedOutput
  readonly abortController: AbortController
}

const packings = new Map<number, Packing>()

lowerPriority()
parentPort?.on('message', (request: PackingRequest) => {
  if (request.type === 'pack') void begin(request)
  else if (request.type === 'taken') packings.get(request.id)?.output.release(request.memory)
  else packings.get(request.id)?.abortController.abort(new Refusal('ErrCancelled'))
})

function send(message: PackingMessage, transfer: readonly ArrayBuffer[] = []): void {
  parentPort?.postMessage(message, transfer)
}

async function begin({
  id,
  directory,
  denied,
  paths,
  kind,
  isCounted,
}: PackingRequest & { type: 'pack' }): Promise<void> {
  const abortController = new AbortController()
  const { signal } = abortController
  const output = new ChunkedOutput((memory, length) => send({ type: 'bytes', id, memory, length }, [memory]))
  packings.set(id, { output, abortController })
  const progress = new Progress()
  const reporting = setInterval(() => {
    output.flush()
    send({ type: 'progress', id, progress })
  }, reportEveryMs)
  let end: PackingMessage = { type: 'end', id }
  try {
    await using files = await RootFs.open(directory, { denied: () => DeniedFiles.of(denied) })
    await pack({ files, paths, kind, isCounted, progress, signal, write: (chunk) => output.write(chunk) })
    output.flush()
  } catch (error) {
    end = { ...end, error: serializeError(error) }
  }
  clearInterval(reporting)
  packings.delete(id)
  send({ type: 'progress', id, progress })
  send(end)
}

/** Collects bytes in chunks of one block, and waits while too many are in transit. */
class ChunkedOutput {
  readonly #send: (memory: ArrayBuffer, length: number) => void
  readonly #free = Array.from({ length: chunksInTransit }, () => new ArrayBuffer(blockBytes))
  #filling: Uint8Array<ArrayBuffer> | undefined
  #filled = 0
  #waiting: PromiseWithResolvers<void> | undefined

  constructor(send: (memory: ArrayBuffer, length: number) => void) {
    this.#send = send
  }

  async write(bytes: Uint8Array): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      this.#filling ??= new Uint8Array(await this.#acquire())
      const part = bytes.subarray(at, at + blockBytes - this.#filled)
      this.#filling.set(part, this.#filled)
      at += part.length
      this.#filled += part.length
      if (this.#filled === blockBytes) this.flush()
    }
  }

  flush(): void {
    if (this.#filling === undefined) return
    this.#send(this.#filling.buffer, this.#filled)
    this.#filling = undefined
    this.#filled = 0
  }

  release(memory: ArrayBuffer): void {
    this.#free.push(memory)
    this.#waiting?.resolve()
  }

  async #acquire(): Promise<ArrayBuffer> {
    for (;;) {
      const memory = this.#free.pop()
      if (memory) return memory
      this.#waiting = Promise.withResolvers()
      await this.#waiting.promise
    }
  }
}
