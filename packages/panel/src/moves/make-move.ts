import type { Variables, VariableValues } from '@innkeeper/contract/definitions/variables'
import { toEnvelope } from '@innkeeper/contract/errors/refusal-envelope'
import { Refusal, type RefusalCode } from '@innkeeper/contract/errors/refusals'
import { tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import { PeriodicJob } from '@innkeeper/contract/jobs/periodic-job'
import type { MoveState } from '@innkeeper/contract/node-link/moves'
import { panelEndpoints } from '@innkeeper/contract/node-link/panel-to-node'
import { startServer, stopServer } from '@innkeeper/contract/servers/node-servers'
import type { Logger } from 'pino'
import { findSuspension, suspensionColumns } from '../access/suspension.ts'
import { isDatabaseError } from '../database/errors.ts'
import type { ActiveState } from '../database/moves.ts'
import type { Database, RowChanges } from '../database/schema.ts'
import {
  type FollowOptions,
  isNodeUnreachable,
  pauseUnlessAborted,
  waitUntilResponds,
} from '../node-copies/node-jobs.ts'
import type { NodeClient } from '../nodes/client/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PortsService } from '../nodes/ports.ts'
import { JobReleased } from '../queue/leased-jobs.ts'
import { copyChanges } from './copy-changes.ts'
import { backToken, type MoveLeases } from './move-leases.ts'
import { cancellableStates, type LeasedMove } from './move-rows.ts'

/** How often a pass is repeated that was interrupted. */
const maxAttempts = 20
/** The pause before a repetition grows by this number of polls. */
const pausePolls = 2
const maxPausePolls = 20
/** The server stands still until its stop or start is noticed. */
const stillPolls = 0.1
/** Passes while the server runs. */
const maxPasses = 4
/** What has changed during a pass is copied by another one while the server runs, unless it is less than this. */
const smallPassBytes = 32 * 1024 * 1024
const extendPortsMs = 60_000
/** Times of files are a little older than the clock. */
const clockMarginMs = 1_000
/** The console and the statistics are written to the disk. */
const sealTimeoutMs = 60_000

export interface MoveDeps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor' | 'lockForUpdate'>
  readonly ports: Pick<PortsService, 'extend' | 'release'>
  readonly leases: MoveLeases
  readonly log: Logger
  readonly now: () => number
  /** Interval at which progress is stored and cancellation is noticed. */
  readonly pollMs: number
  /** How long the start on the new node may take until it counts as not ready. */
  readonly readyMs: number
}

/**
 * Errors after which a pass is repeated: a node or panel was stopped, or a file changed meanwhile. ErrCancelled is what a node
 * responds when the connection to the other one broke in the middle of a file; a user cancels the move by its signal.
 */
const repeatedCodes: readonly RefusalCode[] = [
  'ErrServiceNotAvailable',
  'ErrTaskInterrupted',
  'ErrCancelled',
  'ErrCopyDiffers',
]

/**
 * Makes a move, or continues one that another panel has begun: each step can be repeated. Never rejects: the result is in the
 * row. The server is on one node at each time: the old one seals it durably, then the row of the server changes, then the new
 * one opens it.
 */
export async function makeMove(deps: MoveDeps, move: LeasedMove, abort: AbortController): Promise<void> {
  const { leases, ports, log, pollMs } = deps
  const steps = new MoveSteps(deps, move, abort.signal)
  const renewal = new PeriodicJob({
    everyMs: pollMs,
    async run() {
      const found = await leases.renew(move, steps.progress)
      if (found === 'cancelled') steps.cancel()
      if (found === 'ended') abort.abort(new JobReleased())
    },
    onError: (err) => log.warn({ err, server: move.server }, 'the progress of a move cannot be stored'),
  }).start()
  const reservation = new PeriodicJob({
    everyMs: extendPortsMs,
    run: () => ports.extend(move.reservation),
    onError: (err) => log.warn({ err, server: move.server }, 'the ports of a move cannot be reserved longer'),
  }).start()
  void reservation.run()
  try {
    await steps.run()
  } catch (err) {
    if (!abort.signal.aborted) log.warn({ err, server: move.server }, 'a move was interrupted; continuing later')
    await leases
      .release(move)
      .catch((cause: unknown) => log.warn({ err: cause, server: move.server }, 'a move was not released'))
  } finally {
    await Promise.all([renewal.close(), reservation.close()])
  }
}

class MoveSteps {
  progress: { readonly bytes?: number | undefined; readonly totalBytes?: number | undefined } = {}
  readonly #deps: MoveDeps
  readonly #signal: AbortSignal
  #move: LeasedMove
  /** Aborted when the current step is canceled. */
  #step = new AbortController()

  constructor(deps: MoveDeps, move: LeasedMove, signal: AbortSignal) {
    this.#deps = deps
    this.#move = move
    this.#signal = signal
  }

  /** The move is to be undone. */
  cancel(): void {
    if (isCancellable(this.#move.state) || this.#move.state === 'starting')
      this.#step.abort(new Refusal('ErrCancelled'))
  }

  /** Works until the move has ended. Throws when it must be continued later. */
  async run(): Promise<void> {
    for (;;) {
      this.#signal.throwIfAborted()
      const move = await this.#deps.leases.read(this.#move)
      if (!move) return
      this.#move = move
      this.#step = new AbortController()
      this.progress = {}
      if (move.isCancelled) await this.#undo()
      else await this.#steps[move.state]().catch((error: unknown) => this.#fail(error))
    }
  }

  readonly #steps: Readonly<Record<ActiveState, () => Promise<void>>> = {
    waiting: async () => {
      while (!(await this.#deps.leases.isItsTurn(this.#move))) await this.#pause(pausePolls)
      await this.#save({ state: 'copying' })
    },

    copying: async () => {
      const { from, to, id } = this.#move
      await this.#requireSince(from)
      await this.#copyWhileRunning({ from, to, token: id })
      await this.#save({ state: 'stopping' })
    },

    stopping: async () => {
      const { from, id } = this.#move
      await this.#stopAndSeal(from, id)
      await this.#save({ state: 'changes', stopped_at: this.#deps.now() })
    },

    changes: async () => {
      const { from, to, id, data } = this.#move
      await this.#copy({ from, to, token: id, isFinal: true })
      const definition = withValues(await this.#readDefinition(from), data)
      await this.#switch({ node: to, token: id, definition, state: 'starting' })
    },

    starting: async () => {
      const { from, to, id, reservation } = this.#move
      const error = await this.#open(to, id)
      const { now, leases, ports } = this.#deps
      const kept = { copy_node: from, copy_until: now() + leases.keptMs }
      await this.#save({ state: 'done', ready_at: now(), ...kept, error: toJson(error) })
      await ports.release(reservation, { isCreated: true })
    },

    goingBack: async () => {
      const { from, to, id, data } = this.#move
      const token = backToken(id)
      if ((await this.#readState(to)).sealed === undefined)
        await this.#copyWhileRunning({ from: to, to: from, token: id })
      await this.#stopAndSeal(to, token)
      await this.#copy({ from: to, to: from, token: id, isFinal: true })
      const former = (await this.#readDefinition(from)).data as Variables | undefined
      const values = Object.entries(former ?? {}).filter(([name]) => Object.hasOwn(data, name))
      const definition = withValues(await this.#readDefinition(to), Object.fromEntries(values))
      await this.#switch({ node: from, token: id, definition, state: 'startingBack' })
    },

    startingBack: async () => {
      const { from, to, id } = this.#move
      const error = await this.#open(from, id)
      await this.#save({ state: 'back', copy_node: to, copy_until: 0, error: toJson(error) })
    },
  }

  /** A step that failed is undone; one whose node does not respond is continued later. */
  async #fail(error: unknown): Promise<void> {
    this.#signal.throwIfAborted()
    if (this.#step.signal.aborted) return
    const { leases, log } = this.#deps
    const { state, server, to, from, id } = this.#move
    // It continues when the database responds again.
    if (isDatabaseError(error) || error instanceof JobReleased) throw error
    if (!(error instanceof Refusal)) log.error({ err: error, server }, 'a step of a move failed')
    const reason = error instanceof Refusal ? error : new Refusal('ErrUnknownError')
    if (isCancellable(state)) return await leases.storeFailure(this.#move, reason)
    if (isNodeUnreachable(error)) throw error
    if (state === 'goingBack') {
      // The new node still has the latest files.
      await this.#open(to, backToken(id))
      await this.#save({ state: 'done', error: toJson(reason) })
    } else {
      // Open and not ready.
      const { now } = this.#deps
      const isBack = state === 'startingBack'
      const kept = isBack ? { copy_node: to, copy_until: 0 } : { copy_node: from, copy_until: now() + leases.keptMs }
      await this.#save({ state: isBack ? 'back' : 'done', ...kept, error: toJson(reason) })
    }
  }

  /** Before the switch the server opens again on its node; later it goes back. */
  async #undo(): Promise<void> {
    const { state, from, id, server, error } = this.#move
    const { db, leases, ports } = this.#deps
    if (!isCancellable(state)) {
      await this.#save({ is_cancelled: 0, ...(state === 'starting' && { state: 'goingBack' }) })
      return
    }
    const row = await db.selectFrom('servers').select('id').where('id', '=', server).executeTakeFirst()
    if (row && (await this.#readState(from)).sealed === id)
      await this.#call(from, (client) => this.#sendOpen(client, id))
    // It was stopped for the move.
    if (row && this.#move.wasRunning) await this.#start(from).catch((err: unknown) => this.#logStart(err))
    await ports.release(this.#move.reservation, { isCreated: false })
    await leases.end(this.#move, error)
  }

  /** The clock of the sender, which dates changes of its files. */
  async #requireSince(node: number): Promise<void> {
    if (this.#move.since > 0) return
    await this.#save({ since: await this.#readClock(node) })
  }

  async #readClock(node: number): Promise<number> {
    return (await this.#readState(node)).atMs - clockMarginMs
  }

  async #copyWhileRunning(direction: Direction): Promise<void> {
    for (let pass = 1; pass <= maxPasses; pass++) {
      const since = await this.#readClock(direction.from)
      const bytes = await this.#copy({ ...direction, isFinal: false })
      // What has changed before was sent.
      await this.#save({ since })
      if (bytes < smallPassBytes) return
    }
  }

  /** Returns the size of the files that were sent. */
  async #copy({ from, to, token, isFinal }: Direction & { readonly isFinal: boolean }): Promise<number> {
    const { server } = this.#move
    for (;;) {
      try {
        const ends = { from: await this.#client(from), to: await this.#client(to) }
        const onProgress: FollowOptions['onProgress'] = (bytes, totalBytes) => {
          this.progress = { bytes, totalBytes }
        }
        const pass = { ...ends, server, token, since: this.#move.since, isFinal }
        const bytes = await copyChanges(pass, { signal: this.#signals, onProgress })
        if (this.#move.attempts > 0) await this.#save({ attempts: 0 })
        return bytes
      } catch (error) {
        this.#signals.throwIfAborted()
        const isRepeated = error instanceof Refusal && repeatedCodes.includes(error.code)
        if (!isRepeated || this.#move.attempts >= maxAttempts) throw error
        this.#deps.log.info({ err: error, server }, 'a copy of a move is repeated')
        await this.#save({ attempts: this.#move.attempts + 1 })
        await this.#pause(Math.min(this.#move.attempts * pausePolls, maxPausePolls))
      }
    }
  }

  /** Waits until the server has stopped. It is never killed: a user can do that meanwhile, or cancel the move. */
  async #stopAndSeal(node: number, token: string): Promise<void> {
    const params = { id: this.#move.server }
    for (;;) {
      const { sealed, state, isStarted } = await this.#readState(node)
      if (sealed === token) return
      if (sealed !== undefined && sealed !== this.#move.id) throw new Refusal('ErrServerMoving')
      if (this.#move.wasRunning === undefined) await this.#save({ was_running: isStarted ? 1 : 0 })
      if (sealed !== undefined || state === 'offline') {
        const seal = (client: NodeClient) =>
          client.call(panelEndpoints.sealServer, { params: { ...params, move: token } }, { timeoutMs: sealTimeoutMs })
        // It was started meanwhile.
        const isSealed = await this.#call(node, seal).then(() => true, ignoreBusy)
        if (isSealed) return
      } else if (state !== 'stopping' && state !== 'installing') {
        await this.#call(node, (client) => client.call(stopServer, { params, query: {} }))
      }
      await this.#pause(stillPolls)
    }
  }

  /** From here on the server belongs to the other node. */
  async #switch({ node, token: move, definition, state }: Switch): Promise<void> {
    const { nodes, leases } = this.#deps
    const { server: id } = this.#move
    const suspended = this.#deps.db.selectFrom('servers').select(suspensionColumns).where('id', '=', id)
    const row = await suspended.executeTakeFirst()
    if (!row) throw new Refusal('ErrServerNotFound')
    const body = { definition, suspension: findSuspension(row, this.#deps.now()) ?? null }
    await this.#call(node, (client) => client.call(panelEndpoints.putMovedDefinition, { params: { id, move }, body }))
    const since = await this.#readClock(node)
    const { ip, port } = tryParseListenAddress((definition.data ?? {}) as Variables)
    const changes = { state, since, attempts: 0 }
    await leases.advance(this.#move, changes, async (transaction) => {
      await nodes.lockForUpdate(transaction, node)
      await transaction.updateTable('servers').set({ node_id: node, ip, port }).where('id', '=', id).execute()
    })
  }

  /** Opens the server, starts it if it ran before, and waits until it is ready. Returns why it is not. */
  async #open(node: number, token: string): Promise<Refusal | undefined> {
    await this.#call(node, (client) => this.#sendOpen(client, token))
    if (!this.#move.wasRunning) return undefined
    await this.#start(node)
    const deadline = performance.now() + this.#deps.readyMs
    for (;;) {
      const { state } = await this.#readState(node)
      if (state === 'online') return undefined
      if (state === 'offline' || performance.now() > deadline) return new Refusal('ErrMoveNotReady')
      await this.#pause(stillPolls)
    }
  }

  async #start(node: number): Promise<void> {
    if ((await this.#readState(node)).isStarted) return
    const params = { id: this.#move.server }
    // With `wait` the state is not offline any more, unless it could not be started.
    const start = (client: NodeClient) =>
      client.call(startServer, { params, query: { wait: 'true' } }, { timeoutMs: this.#deps.readyMs })
    await this.#call(node, start)
  }

  async #sendOpen(client: NodeClient, move: string): Promise<void> {
    await client.call(panelEndpoints.openServer, { params: { id: this.#move.server, move } })
  }

  async #readDefinition(node: number): Promise<Readonly<Record<string, unknown>>> {
    const { definition } = await this.#readState(node)
    if (!definition) throw new Refusal('ErrServerNotFound')
    return definition
  }

  async #readState(node: number): Promise<MoveState> {
    return await this.#call(node, (client) =>
      client.call(panelEndpoints.getMoveState, { params: { id: this.#move.server } }),
    )
  }

  async #client(node: number): Promise<NodeClient> {
    return await this.#deps.nodes.clientFor(node)
  }

  /** Repeats a request while the node does not respond, for a limited time. */
  async #call<T>(node: number, request: (client: NodeClient) => Promise<T>): Promise<T> {
    const options = { signal: this.#signals, pollMs: this.#deps.pollMs }
    return await waitUntilResponds(async () => await request(await this.#client(node)), options)
  }

  get #signals(): AbortSignal {
    return AbortSignal.any([this.#signal, this.#step.signal])
  }

  async #pause(polls: number): Promise<void> {
    await pauseUnlessAborted(polls * this.#deps.pollMs, this.#signals)
  }

  async #save(changes: RowChanges<'moves'>): Promise<void> {
    if (!(await this.#deps.leases.save(this.#move, changes))) throw new JobReleased()
    this.#move = (await this.#deps.leases.read(this.#move)) ?? this.#move
  }

  #logStart(err: unknown): void {
    this.#deps.log.warn({ err, server: this.#move.server }, 'a server was not started again after its move was undone')
  }
}

interface Direction {
  readonly from: number
  readonly to: number
  /** With which the receiver is sealed. */
  readonly token: string
}

interface Switch {
  /** It gets the server. */
  readonly node: number
  readonly token: string
  readonly definition: Readonly<Record<string, unknown>>
  readonly state: 'starting' | 'startingBack'
}

const isCancellable = (state: ActiveState): boolean => (cancellableStates as readonly ActiveState[]).includes(state)

const toJson = (error: Refusal | undefined): string | null => (error ? JSON.stringify(toEnvelope(error).error) : null)

function ignoreBusy(error: unknown): false {
  if (error instanceof Refusal && error.code === 'ErrServerBusy') return false
  throw error
}

/** The definition with other values of variables. */
function withValues(
  definition: Readonly<Record<string, unknown>>,
  values: VariableValues,
): Readonly<Record<string, unknown>> {
  const data = (definition.data ?? {}) as Variables
  const changed = Object.entries(values).flatMap(([name, { value }]) =>
    Object.hasOwn(data, name) ? [[name, { ...data[name], value }] as const] : [],
  )
  return { ...definition, data: { ...data, ...Object.fromEntries(changed) } }
}
