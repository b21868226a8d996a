import type { Server } from '../servers/server.ts'
import type { JobContext } from './jobs/job-queue.ts'

interface Options {
  /** The processes go on after this time; with 0 they are never frozen. */
  readonly freezeMs: number
  readonly job: Pick<JobContext, 'mark'>
  /** Called when the processes go on before the work has ended. */
  readonly onThaw: () => void
}

/** Does the work while the processes of a server are frozen, for a limited time. */
export async function whileFrozen(
  server: Pick<Server, 'freeze' | 'thaw'>,
  { freezeMs, job, onThaw }: Options,
  work: () => Promise<void>,
): Promise<void> {
  if (freezeMs === 0) {
    onThaw()
    return await work()
  }
  await job.mark({ isFrozen: true })
  let thawing: Promise<void> | undefined
  const timer = setTimeout(() => {
    thawing = server.thaw()
    onThaw()
  }, freezeMs)
  try {
    if (!(await server.freeze())) onThaw()
    await work()
  } finally {
    clearTimeout(timer)
    await thawing
    await server.thaw()
    await job.mark({ isFrozen: false })
  }
}
