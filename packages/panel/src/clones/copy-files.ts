import { Transform } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { BackupJob, cancelBackupJob, createBackup, listBackupJobs } from '@innkeeper/contract/backups'
import { urlOf } from '@innkeeper/contract/endpoint'
import { cloneEndpoints } from '@innkeeper/contract/node-clones'
import { refusalFrom } from '@innkeeper/contract/refusal-envelope'
import { Refusal } from '@innkeeper/contract/refusals'
import { type NodeClient, type OnBehalfOf, panelIdentity, panelIdentityOn } from '../nodes/client/node-client.ts'
import { refusalOf, textOf } from '../nodes/client/node-response.ts'

/** How long a node may not respond while a job is followed. */
const maxSilenceMs = 60_000

export interface CopyOptions {
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number | undefined, totalBytes: number | undefined) => void
  /** Interval of looks at a job. */
  readonly pollMs: number
}

/** Makes a backup of the present state of a server. Returns its ID. */
export async function backUp(
  client: NodeClient,
  server: string,
  user: { readonly userId: number; readonly username: string },
  options: CopyOptions,
): Promise<string> {
  const path = urlOf(createBackup, { params: { id: server }, query: {} })
  const onBehalfOf: OnBehalfOf = { ...user, server, rights: ['createServerBackups'] }
  const started = await client.request(onBehalfOf, { method: createBackup.method, path, body: {} })
  const { backup } = await followJob(client, server, BackupJob.parse(started), options)
  if (backup === undefined) throw new Error('a backup has no ID')
  return backup
}

interface Copy {
  readonly source: string
  readonly target: string
  readonly backup: string
}

/** Fills a new server from the repository of its node. */
export async function fillOnNode(client: NodeClient, { source, target, backup }: Copy, options: CopyOptions) {
  const { method, path } = cloneEndpoints.fillFromBackup
  const started = await client.request(panelIdentity, {
    ...{ method, path: path.replace(':id', target), body: { source, backup } },
  })
  await followJob(client, target, BackupJob.parse(started), options)
}

interface Ends {
  readonly from: NodeClient
  readonly to: NodeClient
}

/**
 * Fills a new server from the repository of another node. First its node queues a job. When that runs, the other one
 * reads its repository, which is not a job: two nodes that wait for jobs of one another would wait for ever.
 */
export async function fillFromNode(ends: Ends, copy: Copy, options: CopyOptions): Promise<void> {
  const { to } = ends
  const { method, path } = cloneEndpoints.queueImport
  const started = await to.request(panelIdentity, { method, path: path.replace(':id', copy.target) })
  const { id } = await followJob(to, copy.target, BackupJob.parse(started), { ...options, until: 'running' })
  try {
    await streamFiles(ends, { ...copy, job: id }, options)
  } catch (error) {
    await cancelJob(to, copy.target, id)
    throw error
  }
}

/** Streams the files of a backup from one node to a job of another. Nothing is stored in between. */
async function streamFiles(
  { from, to }: Ends,
  { source, target, backup, job }: Copy & { readonly job: string },
  { signal, onProgress }: CopyOptions,
): Promise<void> {
  signal.throwIfAborted()
  const { exportBackup, importFiles } = cloneEndpoints
  using cleanup = new DisposableStack()
  const aborts = [new AbortController(), new AbortController()] as const
  const onAbort = () => {
    for (const abort of aborts) abort.abort(signal.reason)
  }
  signal.addEventListener('abort', onAbort)
  cleanup.defer(() => signal.removeEventListener('abort', onAbort))
  // Whatever happens, no request stays open.
  cleanup.defer(() => {
    for (const abort of aborts) abort.abort()
  })
  const answer = await from.proxy(panelIdentity, {
    ...{ method: exportBackup.method, path: exportBackup.path.replace(':id', source).replace(':backup', backup) },
    ...{ headers: {}, body: undefined, responseTimeoutMs: undefined, abort: aborts[0] },
  })
  if (answer.status >= 300) throw await refusalIn(answer)
  let bytes = 0
  const counted = new Transform({
    transform(chunk: Buffer, _encoding, done) {
      bytes += chunk.length
      onProgress(bytes, undefined)
      done(null, chunk)
    },
  })
  // A source that breaks must break the target too, or it would keep a part of the files.
  answer.body.on('error', (error) => counted.destroy(error))
  const stored = await to.proxy(panelIdentity, {
    ...{ method: importFiles.method, path: importFiles.path.replace(':id', target).replace(':job', job) },
    ...{ headers: { 'content-type': 'application/x-tar' }, body: answer.body.pipe(counted) },
    ...{ responseTimeoutMs: undefined, abort: aborts[1] },
  })
  if (stored.status >= 300) throw await refusalIn(stored)
  stored.body.resume()
}

async function refusalIn({ status, body }: { status: number; body: AsyncIterable<Buffer> }): Promise<Refusal> {
  const text = await textOf(body)
  return refusalOf(status, text === '' ? undefined : JSON.parse(text))
}

interface FollowOptions extends CopyOptions {
  readonly until?: 'running' | undefined
}

/** Waits for the end of a job, or until it runs. Cancels it on abort. Throws its refusal. */
async function followJob(
  client: NodeClient,
  server: string,
  started: BackupJob,
  { signal, onProgress, pollMs, until }: FollowOptions,
): Promise<BackupJob> {
  let seenAt = performance.now()
  let job = started
  while (job.state === 'waiting' || (job.state === 'running' && until !== 'running')) {
    onProgress(job.bytes, job.totalBytes)
    const isAborted = await pause(pollMs, false, { signal }).catch(() => true)
    if (isAborted) {
      await cancelJob(client, server, job.id)
      signal.throwIfAborted()
    }
    const found = await findJob(client, server, job.id).catch((error: unknown) => {
      const isSilent = error instanceof Refusal && error.code === 'ErrServiceNotAvailable'
      if (!isSilent || performance.now() - seenAt > maxSilenceMs) throw error
    })
    if (!found) continue
    seenAt = performance.now()
    job = found
  }
  if (job.state === 'done' || job.state === until) return job
  throw (job.error && refusalFrom({ error: job.error })) ?? new Refusal('ErrCancelled')
}

async function findJob(client: NodeClient, server: string, id: string): Promise<BackupJob> {
  const path = urlOf(listBackupJobs, { params: { id: server }, query: {} })
  const jobs = listBackupJobs.response.parse(await client.request(panelIdentityOn(server), { method: 'GET', path }))
  const job = jobs.find((one) => one.id === id)
  // The node was restarted so long ago that it does not list the job any more.
  if (!job) throw new Refusal('ErrTaskInterrupted')
  return job
}

async function cancelJob(client: NodeClient, server: string, job: string): Promise<void> {
  const path = urlOf(cancelBackupJob, { params: { id: server, job }, query: {} })
  await client.request(panelIdentityOn(server), { method: cancelBackupJob.method, path }).catch((error: unknown) => {
    // It has ended, or its node is gone.
    if (!(error instanceof Refusal)) throw error
  })
}
