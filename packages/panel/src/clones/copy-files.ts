import { BackupId, createBackup } from '@innkeeper/contract/backups/backups'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import {
  cancelJob,
  type FollowOptions,
  followJob,
  isActive,
  isNodeUnreachable,
  readJobs,
  waitUntilResponds,
} from '../node-copies/node-jobs.ts'
import { counted, NodeStreams } from '../node-copies/node-streams.ts'
import type { NodeClient, OnBehalfOf } from '../nodes/client/node-client.ts'

/** Timeout of reading a backup, which may wait for other reads. The job of the new server waits a bit longer. */
const exportTimeoutMs = 150_000

interface NewBackup {
  readonly server: string
  readonly user: { readonly id: number; readonly username: string }
  /** The node makes one backup for it, even if an earlier panel was killed before it got the response. */
  readonly idempotencyKey: string
}

/** Makes a backup of the current state of a server. Returns its ID. Throws ErrTaskInterrupted when it must be repeated. */
export async function backUp(
  client: NodeClient,
  { server, user, idempotencyKey }: NewBackup,
  options: FollowOptions,
): Promise<string> {
  const start = async () => {
    const onBehalfOf: OnBehalfOf = {
      userId: user.id,
      username: user.username,
      server,
      permissions: ['createServerBackups'],
    }
    return await client.call(createBackup, { params: { id: server }, body: {} }, { onBehalfOf, idempotencyKey })
  }
  const job = await waitUntilResponds(start, options)
  const { backup } = await followJob({ client, server, job }, options)
  return BackupId.parse(backup)
}

interface Copy {
  readonly source: string
  readonly target: string
  readonly backup: string
}

/** Fills a new server from the repository of its node. */
export async function fillOnNode(
  client: NodeClient,
  { source, target, backup }: Copy,
  options: FollowOptions,
): Promise<void> {
  const start = () => client.call(panelEndpoints.fillFromBackup, { params: { id: target }, body: { source, backup } })
  const job = await waitUntilResponds(
    async () => (await readFill(client, { target, backup })) ?? (await start()),
    options,
  )
  await followJob({ client, server: target, job }, options)
}

interface Ends {
  readonly from: NodeClient
  readonly to: NodeClient
}

/**
 * Fills a new server from the repository of another node. First its node queues a job. When that runs, the other one
 * reads its repository, which is not a job: two nodes that wait for jobs of one another would wait for ever. Throws
 * ErrTaskInterrupted when it must be repeated.
 */
export async function fillFromNode(ends: Ends, copy: Copy, options: FollowOptions): Promise<void> {
  const { to } = ends
  const { target, backup } = copy
  const queued = await waitUntilResponds(async () => {
    const known = await readFill(to, copy)
    if (known?.state === 'done') return known
    // It waits for files of a panel that has ended.
    if (known) await cancelJob(to, target, known.id)
    return await to.call(panelEndpoints.queueImport, { params: { id: target }, body: { backup } })
  }, options)
  const job = await followJob({ client: to, server: target, job: queued, until: 'running' }, options)
  if (job.state === 'done') return
  try {
    await streamFiles(ends, { ...copy, job: job.id }, options)
  } catch (cause) {
    await cancelJob(to, target, job.id)
    throw isNodeUnreachable(cause) ? new Refusal('ErrTaskInterrupted', {}, { cause }) : cause
  }
}

/** The job that has filled a new server, or does so. */
async function readFill(client: NodeClient, { target, backup }: Pick<Copy, 'target' | 'backup'>) {
  const fills = (await readJobs(client, target)).filter((job) => job.type === 'restore' && job.backup === backup)
  return fills.find(({ state }) => state === 'done') ?? fills.find(isActive)
}

/** Streams the files of a backup from one node to a job of another. */
async function streamFiles(
  { from, to }: Ends,
  { source, target, backup, job }: Copy & { readonly job: string },
  { signal, onProgress }: FollowOptions,
): Promise<void> {
  const { exportBackup, importFiles } = panelEndpoints
  using streams = new NodeStreams(signal)
  const files = await streams.send(from, exportBackup, {
    params: { id: source, backup },
    responseTimeoutMs: exportTimeoutMs,
  })
  const stored = await streams.send(to, importFiles, {
    params: { id: target, job },
    contentType: 'application/x-tar',
    body: counted(files.body, (bytes) => onProgress(bytes, undefined)),
  })
  stored.body.resume()
}
