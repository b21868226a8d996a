import type { Readable } from 'node:stream'
import type { BackupJob } from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { entryPath, printableName } from '../archives/unpack/entry-path.ts'
import { unpackTar } from '../archives/unpack/tar-reader.ts'
import { archiveLimits, Unpacking } from '../archives/unpack/unpacking.ts'
import { abortable, withTimeout } from '../concurrency/timeout.ts'
import { ignoreRefusals } from '../errors/refusals.ts'
import { rootPath } from '../files/path/safe-path.ts'
import { Progress } from '../files/tree/progress.ts'
import type { Server } from '../servers/server.ts'
import type { JobContext, JobQueue } from './jobs/job-queue.ts'

/** How long a running job waits for its files, which the panel reads from the other node when the job runs. */
const defaultWaitMs = 180_000

interface ReceivedFiles {
  readonly body: Readable
  /** Aborted when the sender disconnects or its body stalls. */
  readonly signal: AbortSignal
}

interface Import {
  readonly files: PromiseWithResolvers<ReceivedFiles>
  readonly ended: Promise<void>
}

interface Deps {
  readonly queue: Pick<JobQueue, 'start' | 'get'>
  readonly waitMs?: number | undefined
}

/**
 * Jobs that fill new servers with the files of another node. Only the node that receives them has a job; the other one
 * reads its repository, like for a download, when that job runs. No job waits for a job of another node, so nodes that
 * clone servers to one another cannot block each other.
 */
export class FileImports {
  readonly #deps: Deps
  readonly #imports = new Map<string, Import>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** `backup` is the one of the other node. */
  queue(server: Server, backup: string): BackupJob {
    const files = Promise.withResolvers<ReceivedFiles>()
    const { job, ended } = this.#deps.queue.start({
      server: server.id,
      type: 'restore',
      name: '',
      backup,
      run: (context) => this.#run(server, files.promise, context),
    })
    this.#imports.set(job.id, { files, ended })
    const forget = () => void this.#imports.delete(job.id)
    ended.then(forget, forget)
    return job
  }

  /** Gives a running job its files and waits for its end. Throws ErrNotFound when it does not run, and why it failed. */
  async receive(server: string, job: string, files: ReceivedFiles): Promise<void> {
    const found = this.#imports.get(job)
    if (!found || this.#deps.queue.get(server, job).state !== 'running') throw new Refusal('ErrNotFound')
    // It takes files once.
    this.#imports.delete(job)
    found.files.resolve(files)
    await found.ended
  }

  async #run(server: Server, files: Promise<ReceivedFiles>, job: JobContext): Promise<void> {
    const { waitMs: ms = defaultWaitMs } = this.#deps
    const error = () => new Refusal('ErrTaskInterrupted')
    const { body, signal: sending } = await withTimeout(files, { ms, signal: job.signal, error })
    const interrupted = new AbortController()
    const onAbort = () => interrupted.abort(error())
    sending.addEventListener('abort', onAbort)
    if (sending.aborted) onAbort()
    const signal = AbortSignal.any([job.signal, interrupted.signal])
    try {
      await importFiles(server, readChunks(body, { signal, onProgress: job.onProgress }), signal)
    } finally {
      sending.removeEventListener('abort', onAbort)
    }
  }
}

interface ReadOptions {
  readonly signal: AbortSignal
  readonly onProgress: JobContext['onProgress']
}

/** Keeps the connection open, so that the sender gets a response also when the files cannot be stored. */
async function* readChunks(body: Readable, { signal, onProgress }: ReadOptions): AsyncGenerator<Uint8Array> {
  const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
  let bytes = 0
  for (;;) {
    const next = await abortable(chunks.next(), signal).catch((cause: unknown) => {
      throw signal.aborted ? signal.reason : new Refusal('ErrTaskInterrupted', {}, { cause })
    })
    if (next.done) return
    bytes += next.value.length
    onProgress(bytes, 0)
    yield next.value
  }
}

/** Links of a server that are imported. */
const maxLinks = 100_000

/**
 * Places the files of a tar of another node in a new server, all or none. It cannot be started during the import. Links that lead
 * out of its folder, and names that are not UTF-8, are left out, and named in its console.
 */
async function importFiles(server: Server, body: AsyncIterable<Uint8Array>, signal: AbortSignal): Promise<void> {
  const release = server.holdStarts('restoring')
  try {
    await using files = await server.openFiles()
    const progress = new Progress()
    const links = new Map<string, string>()
    await using unpacking = await Unpacking.begin({
      files,
      signal,
      destination: rootPath,
      onConflict: 'replace',
      progress,
      // The size of the tar is unknown; it is not compressed.
      packedBytes: Number.MAX_SAFE_INTEGER,
      limits: archiveLimits,
    })
    await unpackTar(body, unpacking, (name, target) => {
      if (links.size < maxLinks) links.set(name, target)
    })
    await unpacking.finish()
    for (const [name, target] of links) {
      const path = entryPath(name)
      const isMade = path && path.length > 0 && (await isDone(files.symlink(target, path)))
      if (!isMade) progress.skip(printableName(name))
    }
    if (progress.skippedCount > 0) server.console.say(leftOut(progress))
  } finally {
    release()
  }
}

/** Whether it was not refused. */
async function isDone(work: Promise<void>): Promise<boolean> {
  return (await work.then(() => true).catch(ignoreRefusals())) ?? false
}

function leftOut({ skipped, skippedCount }: Progress): string {
  const more = skippedCount > skipped.length ? ` and ${skippedCount - skipped.length} more` : ''
  return `These files of the other node were left out, because their names are not UTF-8 or they lead out of the folder: ${skipped.join(', ')}${more}`
}
