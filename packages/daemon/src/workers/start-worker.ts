import { type ResourceLimits, Worker } from 'node:worker_threads'
import { compileCacheEnv } from './compile-cache.ts'

/**
 * What a thread is given: data for it, and how much memory V8 may take for it, in MiB. What is young takes 12 unless said
 * otherwise: all of it may be garbage before V8 looks.
 */
export interface ThreadOptions {
  readonly data?: unknown
  readonly heap: ResourceLimits
}

/** Begins a thread of the daemon. It gets nothing of our surroundings but where compiled modules are kept. */
export function startWorker(program: URL, { data, heap }: ThreadOptions): Worker {
  return new Worker(program, {
    workerData: data,
    // Without it each thread would load the compiler, which takes 100 ms and 20 MiB.
    env: compileCacheEnv(),
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 12, ...heap },
  })
}
