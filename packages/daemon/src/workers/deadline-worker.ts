import { once } from 'node:events'
import type { Worker } from 'node:worker_threads'
import { startWorker } from './start-worker.ts'

/** The answer of a worker: a result, or an error message. */
export type WorkerAnswer<T> = { readonly result: T } | { readonly problem: string }

/**
 * A worker thread for work on text from outside, which may take too long: only a thread can be terminated. Started on
 * first use; one request at a time.
 */
export class DeadlineWorker<Request, Result> implements AsyncDisposable {
  readonly #program: URL
  #worker: Worker | undefined

  constructor(program: URL) {
    this.#program = program
  }

  /** Throws an error with the message `late` after the deadline. */
  async run(request: Request, deadlineMs: number, late: string): Promise<Result> {
    this.#worker ??= startWorker(this.#program, { heap: { maxOldGenerationSizeMb: 512 } })
    const deadline = AbortSignal.timeout(deadlineMs)
    const answered = once(this.#worker, 'message', { signal: deadline })
    this.#worker.postMessage(request)
    const [answer] = (await answered.catch(async (error: unknown) => {
      // It is stuck, or has crashed.
      await this[Symbol.asyncDispose]()
      if (!deadline.aborted) throw error
      throw new Error(late, { cause: error })
    })) as [WorkerAnswer<Result>]
    if ('problem' in answer) throw new Error(answer.problem)
    return answer.result
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const worker = this.#worker
    this.#worker = undefined
    await worker?.terminate()
  }
}

/** Answers a request in the worker. */
export function getAnswer<T>(work: () => T): WorkerAnswer<T> {
  try {
    return { result: work() }
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) }
  }
}
