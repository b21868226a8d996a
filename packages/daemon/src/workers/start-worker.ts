import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * Data and memory limits (MiB) of a worker thread. The young generation is 12 MiB by default: V8 may fill it with
 * garbage before it collects.
 */
export interface ThreadOptions {
  readonly data?: unknown
  readonly heap: ResourceLimits
}

/** Starts a worker thread with an empty environment, except for the compile cache. */
export function startWorker(program: URL, { data, heap }: ThreadOptions): Worker {
  return new Worker(program, {
    workerData: data,
    // Otherwise each thread would load the compiler, which takes 100 ms and 20 MiB.
    env: compileCacheEnv(),
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 12, ...heap },
  })
}

/** Environment variables with which a child process or thread shares the compile cache of this process, if it has one. */
export function compileCacheEnv(): Readonly<Record<string, string>> {
  const current = getCompileCacheDir()
  // Node.js returns the directory of its version and flags, inside the one to set.
  return current === undefined ? {} : { NODE_COMPILE_CACHE: dirname(current) }
}
