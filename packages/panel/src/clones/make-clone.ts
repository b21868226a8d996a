import { getDefinition, putDefinition } from '@innkeeper/contract/definitions/server-definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { Logger } from 'pino'
import { isDatabaseError } from '../database/errors.ts'
import type { Database, Transaction } from '../database/schema.ts'
import { type FollowOptions, pauseUnlessAborted, waitUntilResponds } from '../node-copies/node-jobs.ts'
import type { OnBehalfOf } from '../nodes/client/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import { JobReleased } from '../queue/leased-jobs.ts'
import { deleteOnNode } from '../servers/delete-on-node.ts'
import type { Checkpoint, CloneLeases } from './clone-leases.ts'
import { type CloneProgress, type LeasedClone, readUser } from './clone-rows.ts'
import { backUp, fillFromNode, fillOnNode } from './copy-files.ts'

/** How often a step of a clone is repeated whose job was interrupted. */
const maxAttempts = 5
/** The pause before a repetition grows by this number of polls. */
const pausePolls = 5

interface CloneDeps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly leases: CloneLeases
  readonly log: Logger
  /** Interval at which progress is stored and cancellation is noticed. */
  readonly pollMs: number
  /** How long a clone waits while the node of its source reads too many other backups. */
  readonly maxBusyMs: number
}

type User = NonNullable<Awaited<ReturnType<typeof readUser>>>

/**
 * Makes a clone, or continues one that another panel has begun. Never rejects: the result is in its row. A clone that fails or
 * is canceled is deleted; one that is aborted with `JobReleased` is left to another panel.
 */
export async function makeClone(deps: CloneDeps, clone: LeasedClone, abort: AbortController): Promise<void> {
  const { leases, log, pollMs } = deps
  const progress: CloneProgress = { state: clone.backup === undefined ? 'backup' : 'copy' }
  const onProgress: FollowOptions['onProgress'] = (bytes, totalBytes) => Object.assign(progress, { bytes, totalBytes })
  const renew = async () => {
    const found = await leases.renew(clone, progress)
    if (found === 'cancelled') abort.abort(new Refusal('ErrCancelled'))
    if (found === 'ended') abort.abort(new JobReleased())
  }
  const renewal = new PeriodicJob({
    everyMs: pollMs,
    run: renew,
    onError: (err) => log.warn({ err, server: clone.id }, 'the progress of a clone cannot be stored'),
  }).start()
  const { signal } = abort
  const options = { signal, onProgress, pollMs }
  try {
    await renew()
    signal.throwIfAborted()
    const user = await readUser(clone.userId, deps.db)
    if (!user) throw new Refusal('ErrNoPermission')
    const steps = new CloneSteps(deps, { clone, user, options })
    const backup = clone.backup ?? (await steps.backUp())
    Object.assign(progress, { state: 'copy', bytes: undefined, totalBytes: undefined })
    await steps.copy(backup)
    await steps.finish()
  } catch (error) {
    await end(deps, clone, signal.aborted ? signal.reason : error).catch((err: unknown) =>
      log.error({ err, server: clone.id }, 'an incomplete clone could not be ended; retrying later'),
    )
  } finally {
    await renewal.close()
  }
}

/** Deletes the new server, unless another panel continues. */
async function end({ db, nodes, leases, log }: CloneDeps, clone: LeasedClone, reason: unknown): Promise<void> {
  // It continues when the database responds again.
  if (reason instanceof JobReleased || isDatabaseError(reason)) return await leases.release(clone)
  if (!(reason instanceof Refusal)) log.error({ err: reason, server: clone.id }, 'a clone failed')
  if (!(await leases.fail(clone, reason instanceof Refusal ? reason : new Refusal('ErrUnknownError')))) return
  const remove = async () => {
    await deleteOnNode(nodes, clone)
    await db.deleteFrom('unfinished_servers').where('server_id', '=', clone.id).execute()
  }
  await remove().catch((err: unknown) =>
    log.warn({ err, server: clone.id }, 'an incomplete clone could not be deleted on its node; retrying later'),
  )
}

interface Making {
  readonly clone: LeasedClone
  /** Its creator. */
  readonly user: User
  readonly options: FollowOptions
}

class CloneSteps {
  readonly #deps: CloneDeps
  readonly #making: Making
  #attempts: number
  /** When its node refused to read the backup because of others. */
  #busySince: number | undefined

  constructor(deps: CloneDeps, making: Making) {
    this.#deps = deps
    this.#making = making
    this.#attempts = making.clone.attempts
  }

  /** Makes the backup. Returns its ID. */
  async backUp(): Promise<string> {
    const { clone, user, options } = this.#making
    const backup = await this.#repeat(async () => {
      const client = await this.#clientOfSource()
      // A repetition makes another one, but another panel that continues does not.
      const idempotencyKey = `${clone.id}-${this.#attempts}`
      return await backUp(client, { server: clone.source, user, idempotencyKey }, options)
    })
    await this.#save({ backup_id: backup, state: 'copy' })
    return backup
  }

  async copy(backup: string): Promise<void> {
    const { clone, options } = this.#making
    const copy = { source: clone.source, target: clone.id, backup }
    await this.#repeat(async () => {
      const [from, to] = [await this.#clientOfSource(), await this.#deps.nodes.clientFor(clone.nodeId)]
      if (from.nodeId === to.nodeId) await fillOnNode(to, copy, options)
      else await fillFromNode({ from, to }, copy, options)
    })
  }

  /**
   * Lets the server start, and adds what begins when it is complete: its tasks, whose owner is the creator, and its other
   * users.
   */
  async finish(): Promise<void> {
    const { leases } = this.#deps
    const { clone, options } = this.#making
    await waitUntilResponds(() => this.#completeDefinition(), options)
    if (await leases.finish(clone, (transaction) => this.#addUsers(transaction))) return
    const isCanceled = (await leases.renew(clone, { state: 'copy' })) === 'cancelled'
    throw isCanceled ? new Refusal('ErrCancelled') : new JobReleased()
  }

  async #clientOfSource() {
    const { db, nodes } = this.#deps
    const id = this.#making.clone.source
    const row = await db.selectFrom('servers').select('node_id').where('id', '=', id).executeTakeFirst()
    if (!row) throw new Refusal('ErrServerNotFound')
    return await nodes.clientFor(row.node_id)
  }

  /** Repeats a step whose job was interrupted, because its node or a panel was stopped, or that must wait for others. */
  async #repeat<T>(step: () => Promise<T>): Promise<T> {
    const { signal, pollMs } = this.#making.options
    for (;;) {
      try {
        return await step()
      } catch (error) {
        signal.throwIfAborted()
        const code = error instanceof Refusal ? error.code : undefined
        if (code === 'ErrBackupReadsBusy' && this.#canWait()) {
          await pauseUnlessAborted(pausePolls * pollMs, signal)
          continue
        }
        if (code !== 'ErrTaskInterrupted' || this.#attempts >= maxAttempts) throw error
      }
      this.#attempts++
      await this.#save({ attempts: this.#attempts })
      await pauseUnlessAborted(this.#attempts * pausePolls * pollMs, signal)
    }
  }

  #canWait(): boolean {
    this.#busySince ??= performance.now()
    return performance.now() - this.#busySince < this.#deps.maxBusyMs
  }

  async #save(checkpoint: Checkpoint): Promise<void> {
    if (!(await this.#deps.leases.save(this.#making.clone, checkpoint))) throw new JobReleased()
  }

  async #completeDefinition(): Promise<void> {
    const { clone, user } = this.#making
    const { isDisabled, tasks } = clone
    const client = await this.#deps.nodes.clientFor(clone.nodeId)
    const params = { id: clone.id }
    const definition = await client.call(getDefinition, { params })
    const { disabled: _, ...run } = definition.run
    const body = { ...definition, run: { ...run, ...(isDisabled && { disabled: true }) }, ...(tasks && { tasks }) }
    const onBehalfOf: OnBehalfOf = {
      userId: user.id,
      username: user.username,
      server: clone.id,
      permissions: ['admin'],
    }
    await client.call(putDefinition, { params, body }, { onBehalfOf })
  }

  async #addUsers(transaction: Transaction): Promise<void> {
    const { id, source, hasUsers } = this.#making.clone
    if (!hasUsers) return
    const known = await transaction.selectFrom('server_users').select('user_id').where('server_id', '=', id).execute()
    const taken = new Set(known.map(({ user_id }) => user_id))
    const users = await transaction
      .selectFrom('server_users')
      .select(['user_id', 'rights', 'expires_at'])
      .where('server_id', '=', source)
      .execute()
    const added = users.filter(({ user_id }) => !taken.has(user_id)).map((user) => ({ ...user, server_id: id }))
    if (added.length > 0) await transaction.insertInto('server_users').values(added).execute()
  }
}
