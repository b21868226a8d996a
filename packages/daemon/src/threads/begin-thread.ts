import { getCompileCacheDir } from 'node:module'
import { dirname } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { type ResourceLimits, Worker } from 'node:worker_threads'

/**
 * What a thread is given: data for it, and how much memory V8 may take for it, in MiB. What is young takes 12 unless said
 * otherwise: all of it may be garbage before V8 looks.
 */
export interface ThreadOptions {
  readonly data?: unknown
  readonly heap: ResourceLimits
}

// A limit that the process was started with is meant for its main thread, which has it for good; V8 would take it for
// each thread to come, whatever is said of that one.
setFlagsFromString('--max-semi-space-size=0')

/** Begins a thread of the daemon. It gets nothing of our surroundings but where compiled modules are kept. */
export function beginThread(program: URL, { data, heap }: ThreadOptions): Worker {
  const compiled = getCompileCacheDir()
  return new Worker(program, {
    workerData: data,
    // The folder that it tells is one below the folder that it is to be told. Without it each thread would load the
    // compiler, which takes 100 ms and 20 MiB.
    env: compiled === undefined ? {} : { NODE_COMPILE_CACHE: dirname(compiled) },
    execArgv: [],
    resourceLimits: { maxYoungGenerationSizeMb: 12, ...heap },
  })
}
