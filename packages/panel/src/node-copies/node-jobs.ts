import { setTimeout as pause } from 'node:timers/promises'
import { type BackupJob, cancelBackupJob, listBackupJobs } from '@innkeeper/contract/backups/backups'
import { refusalFrom } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import type { NodeClient } from '../nodes/client/node-client.ts'

/** How long a node may not respond: it may be restarting. */
const maxSilenceMs = 60_000

export interface FollowOptions {
  readonly signal: AbortSignal
  readonly onProgress: (bytes: number | undefined, totalBytes: number | undefined) => void
  /** Interval of looks at a job. */
  readonly pollMs: number
}

/** A job of a server on its node. */
interface NodeJob {
  readonly client: NodeClient
  readonly server: string
  readonly job: BackupJob
  /** By default its end. */
  readonly until?: 'running' | undefined
}

export const isActive = ({ state }: BackupJob): boolean => state === 'waiting' || state === 'running'

/** Whether a node did not respond. */
export const isNodeUnreachable = (error: unknown): boolean =>
  error instanceof Refusal && error.code === 'ErrServiceNotAvailable'

/** Repeats a request while the node does not respond, for a limited time. */
export async function waitUntilResponds<T>(
  request: () => Promise<T>,
  { signal, pollMs }: Pick<FollowOptions, 'signal' | 'pollMs'>,
): Promise<T> {
  const deadline = performance.now() + maxSilenceMs
  for (;;) {
    signal.throwIfAborted()
    try {
      return await request()
    } catch (error) {
      if (!isNodeUnreachable(error) || performance.now() > deadline) throw error
    }
    await pauseUnlessAborted(pollMs, signal)
  }
}

/** Waits for the end of a job. Throws its refusal. A clone that is canceled cancels it. */
export async function followJob(
  { client, server, job: started, until }: NodeJob,
  { signal, onProgress, pollMs }: FollowOptions,
): Promise<BackupJob> {
  let job = started
  while (isActive(job) && job.state !== until) {
    onProgress(job.bytes, job.totalBytes)
    try {
      await pauseUnlessAborted(pollMs, signal)
      job = await waitUntilResponds(() => findJob(client, server, started.id), { signal, pollMs })
    } catch (error) {
      // A panel that is stopped leaves it to the next one.
      const isCanceled = signal.reason instanceof Refusal && signal.reason.code === 'ErrCancelled'
      if (isCanceled) await cancelJob(client, server, job.id)
      throw error
    }
  }
  if (job.state === 'done' || job.state === until) return job
  throw (job.error && refusalFrom({ error: job.error })) ?? new Refusal('ErrCancelled')
}

/** Throws ErrTaskInterrupted when the node does not list it, because it was restarted. */
async function findJob(client: NodeClient, server: string, id: string): Promise<BackupJob> {
  const job = (await readJobs(client, server)).find((candidate) => candidate.id === id)
  if (!job) throw new Refusal('ErrTaskInterrupted')
  return job
}

export async function readJobs(client: NodeClient, server: string): Promise<readonly BackupJob[]> {
  return await client.call(listBackupJobs, { params: { id: server } })
}

export async function cancelJob(client: NodeClient, server: string, job: string): Promise<void> {
  await client.call(cancelBackupJob, { params: { id: server, job } }).catch((error: unknown) => {
    // It has ended, or its node is gone.
    if (!(error instanceof Refusal)) throw error
  })
}

/** Rejects with the reason of the signal. */
export async function pauseUnlessAborted(ms: number, signal: AbortSignal): Promise<void> {
  await pause(ms, undefined, { signal }).catch(() => signal.throwIfAborted())
}
