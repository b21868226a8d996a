import type { Clone, CloneRequest } from '@innkeeper/contract/clones'
import { Definition, ServerDefinition } from '@innkeeper/contract/definition'
import { urlOf } from '@innkeeper/contract/endpoint'
import { NewServer } from '@innkeeper/contract/new-server'
import { cloneEndpoints } from '@innkeeper/contract/node-clones'
import type { RequiredPermission } from '@innkeeper/contract/permissions'
import { Refusal } from '@innkeeper/contract/refusals'
import { getDefinition, putDefinition } from '@innkeeper/contract/server-definition'
import { validateVariable } from '@innkeeper/contract/variables'
import type { Logger } from 'pino'
import type { AccessService } from '../access/access.ts'
import type { AuditContext } from '../access/audit-context.ts'
import type { AuthorizedServer, Principal, PrincipalWithScope } from '../access/principal.ts'
import type { Database } from '../database/schema.ts'
import { panelIdentity, panelIdentityOn } from '../nodes/client/node-client.ts'
import type { NodesService } from '../nodes/nodes.ts'
import type { PortsService } from '../nodes/ports.ts'
import { deleteOnNode } from '../servers/delete-on-node.ts'
import type { ServersService } from '../servers/servers.ts'
import { createWithFreePorts } from './clone-ports.ts'
import { type ActiveState, cloneRows } from './clone-rows.ts'
import { backUp, type CopyOptions, fillFromNode, fillOnNode } from './copy-files.ts'

const defaultPollMs = 1_000
/** Timeout of reading a definition from the repository, which a busy node needs time to open. */
const definitionTimeoutMs = 60_000
const defaultCleanupMs = 60_000

interface Deps {
  readonly db: Database
  readonly nodes: Pick<NodesService, 'clientFor'>
  readonly access: Pick<AccessService, 'authorizeServer'>
  readonly servers: Pick<ServersService, 'create'>
  readonly ports: Pick<PortsService, 'reserve' | 'release'>
  readonly log: Logger
  readonly now: () => number
  /** Interval at which progress is stored and cancellation is noticed. */
  readonly pollMs?: number | undefined
  /** Interval of looks for clones whose panel is gone. */
  readonly cleanupMs?: number | undefined
}

/** A clone that this panel makes. */
interface RunningClone {
  readonly id: string
  readonly nodeId: number
  readonly source: AuthorizedServer<'viewServerBackups'>
  readonly principal: Principal
  readonly backup: string | undefined
  readonly hasUsers: boolean
  /** The tasks of the source; they start when the server is complete. */
  readonly tasks: ServerDefinition['tasks']
}

/**
 * Creates servers from other servers. A clone is made by one panel, which renews its row; if that panel ends, another one
 * deletes the incomplete server.
 */
export class Clones {
  readonly #deps: Deps
  readonly #rows: ReturnType<typeof cloneRows>
  readonly #pollMs: number
  readonly #running = new Map<string, { readonly abort: AbortController; readonly ended: Promise<void> }>()
  readonly #timer: NodeJS.Timeout
  #isClosed = false

  constructor(deps: Deps) {
    this.#deps = deps
    this.#rows = cloneRows(deps)
    this.#pollMs = deps.pollMs ?? defaultPollMs
    void this.#endStale()
    this.#timer = setInterval(() => void this.#endStale(), deps.cleanupMs ?? defaultCleanupMs).unref()
  }

  /** Creates the server and begins to fill it. Throws what creating a server throws. */
  async start(
    principal: PrincipalWithScope<'servers.create'>,
    sourceId: string,
    request: CloneRequest,
    audit: AuditContext,
  ): Promise<Clone> {
    if (this.#isClosed) throw new Refusal('ErrServiceNotAvailable')
    const source = await this.#authorize(principal, sourceId, request)
    audit.setSubject({ target: source.name })
    const { id: _, tasks, ...definition } = await this.#definitionOf(source, request.backup)
    const { name, node, backup, users: hasUsers } = request
    const data = withValues(principal, definition.data, request.data)
    const template = await this.#templateOf(source.id)
    const { ports, servers } = this.#deps
    const { id } = await createWithFreePorts({ ports, node, data, requested: request.data }, async (free) => {
      const newServer = { ...definition, data: free, name, node, ...(template !== null && { template }) }
      return await servers.create(principal, NewServer.parse(newServer), audit)
    })
    const clone = { ...{ id, nodeId: node, source, principal, backup, hasUsers, tasks } }
    const state = backup === undefined ? 'backup' : 'copy'
    const row = { id, nodeId: node, source: source.id }
    await this.#rows.add(row, principal.userId, state)
    const abort = new AbortController()
    const ended = this.#run(clone, state, abort).finally(() => this.#running.delete(id))
    this.#running.set(id, { abort, ended })
    return { id, source: source.id, state }
  }

  /** Throws ErrNotFound, also for clones of others. */
  async find(principal: Principal, id: string): Promise<Clone> {
    const found = await this.#rows.find(id)
    if (!found || (found.userId !== principal.userId && !principal.isAdmin)) throw new Refusal('ErrNotFound')
    return found.clone
  }

  /** The panel that makes the clone notices it within a second. */
  async cancel(principal: Principal, id: string, audit: AuditContext): Promise<void> {
    const { source } = await this.find(principal, id)
    audit.setSubject({ server: id, target: source })
    await this.#rows.cancel(id)
  }

  /** Undoes the clones that this panel makes. */
  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    const running = [...this.#running.values()]
    for (const { abort } of running) abort.abort(new Refusal('ErrServiceNotAvailable'))
    await Promise.all(running.map(({ ended }) => ended))
  }

  /** Deletes incomplete servers whose panel is gone. Never rejects. */
  async #endStale(): Promise<void> {
    const work = async () => {
      for (const clone of await this.#rows.stale()) await this.#undo(clone, new Refusal('ErrServiceNotAvailable'))
    }
    await work().catch((err: unknown) => this.#deps.log.warn({ err }, 'interrupted clones could not be ended'))
  }

  async #authorize(
    principal: Principal,
    id: string,
    { backup, users }: CloneRequest,
  ): Promise<AuthorizedServer<'viewServerBackups'>> {
    const more: readonly RequiredPermission[] = [
      ...(['viewServerFiles', 'editServerData'] as const),
      ...(backup === undefined ? (['createServerBackups'] as const) : []),
      ...(users ? (['editServerUsers'] as const) : []),
    ]
    for (const right of more) await this.#deps.access.authorizeServer(principal, id, right)
    return await this.#deps.access.authorizeServer(principal, id, 'viewServerBackups')
  }

  /** The definition in the backup; the present one without a backup, or when the backup has none. */
  async #definitionOf({ id, nodeId }: AuthorizedServer<'viewServerBackups'>, backup?: string) {
    const client = await this.#deps.nodes.clientFor(nodeId)
    if (backup !== undefined) {
      const { method, path } = cloneEndpoints.backupDefinition
      const url = path.replace(':id', id).replace(':backup', backup)
      const stored = await client
        .request(panelIdentity, { method, path: url, timeoutMs: definitionTimeoutMs })
        .catch((error: unknown) => {
          if (!(error instanceof Refusal && error.code === 'ErrBackupFailed')) throw error
        })
      if (stored !== undefined) return ServerDefinition.parse(stored)
    }
    const path = urlOf(getDefinition, { params: { id }, query: {} })
    return ServerDefinition.parse(await client.request(panelIdentityOn(id), { method: 'GET', path }))
  }

  async #templateOf(id: string): Promise<string | null> {
    const row = await this.#deps.db.selectFrom('servers').select('template').where('id', '=', id).executeTakeFirst()
    return row?.template ?? null
  }

  /** Never rejects. */
  async #run(clone: RunningClone, first: ActiveState, abort: AbortController): Promise<void> {
    const { log } = this.#deps
    const progress: { state: ActiveState; bytes?: number | undefined; totalBytes?: number | undefined } = {
      state: first,
    }
    const onProgress: CopyOptions['onProgress'] = (bytes, totalBytes) => Object.assign(progress, { bytes, totalBytes })
    const renew = async () => {
      const found = await this.#rows.renew(clone.id, progress)
      if (found !== 'active')
        abort.abort(new Refusal(found === 'cancelled' ? 'ErrCancelled' : 'ErrServiceNotAvailable'))
    }
    const timer = setInterval(() => {
      renew().catch((err: unknown) => log.warn({ err, server: clone.id }, 'the progress of a clone cannot be stored'))
    }, this.#pollMs)
    const options = { signal: abort.signal, onProgress, pollMs: this.#pollMs }
    try {
      const backup = clone.backup ?? (await this.#backUp(clone, options))
      Object.assign(progress, { state: 'copy', bytes: undefined, totalBytes: undefined })
      await this.#copy(clone, backup, options)
      await this.#finish(clone)
    } catch (error) {
      const reason = (abort.signal.aborted ? abort.signal.reason : error) as unknown
      if (!(reason instanceof Refusal)) log.error({ err: reason, server: clone.id }, 'a clone failed')
      const refusal = reason instanceof Refusal ? reason : new Refusal('ErrUnknownError')
      await this.#undo(clone, refusal).catch((err: unknown) =>
        log.error({ err, server: clone.id }, 'an incomplete clone could not be deleted; retrying later'),
      )
    } finally {
      clearInterval(timer)
    }
  }

  async #backUp({ source, principal }: RunningClone, options: CopyOptions): Promise<string> {
    const client = await this.#deps.nodes.clientFor(source.nodeId)
    const { userId, username } = principal
    return await backUp(client, source.id, { userId, username }, options)
  }

  async #copy({ id, nodeId, source }: RunningClone, backup: string, options: CopyOptions): Promise<void> {
    const { nodes } = this.#deps
    const [from, to] = [await nodes.clientFor(source.nodeId), await nodes.clientFor(nodeId)]
    const copy = { source: source.id, target: id, backup }
    if (source.nodeId === nodeId) await fillOnNode(to, copy, options)
    else await fillFromNode({ from, to }, copy, options)
  }

  /** Adds what begins when the server is complete: its tasks, whose owner is the creator, and its other users. */
  async #finish({ id, nodeId, source, principal, hasUsers, tasks }: RunningClone): Promise<void> {
    if (tasks && Object.keys(tasks).length > 0) {
      const client = await this.#deps.nodes.clientFor(nodeId)
      const path = urlOf(getDefinition, { params: { id }, query: {} })
      const definition = Definition.parse(await client.request(panelIdentityOn(id), { method: 'GET', path }))
      const { userId, username } = principal
      await client.request(
        { userId, username, server: id, rights: ['admin'] },
        { method: putDefinition.method, path, body: { ...definition, tasks } },
      )
    }
    const isFinished = await this.#rows.finish(id, async (transaction) => {
      if (!hasUsers) return
      const known = await transaction.selectFrom('server_users').select('user_id').where('server_id', '=', id).execute()
      const taken = new Set(known.map(({ user_id }) => user_id))
      const users = await transaction
        .selectFrom('server_users')
        .select(['user_id', 'rights'])
        .where('server_id', '=', source.id)
        .execute()
      const added = users.filter(({ user_id }) => !taken.has(user_id)).map((user) => ({ ...user, server_id: id }))
      if (added.length > 0) await transaction.insertInto('server_users').values(added).execute()
    })
    if (!isFinished) throw new Refusal('ErrCancelled')
  }

  /** Deletes the new server. `UnfinishedServers` deletes it later on a node that does not respond. */
  async #undo(clone: Pick<RunningClone, 'id' | 'nodeId'>, reason: Refusal): Promise<void> {
    const { db, nodes, log } = this.#deps
    if (!(await this.#rows.fail(clone, reason))) return
    const remove = async () => {
      await deleteOnNode(nodes, clone)
      await db.deleteFrom('unfinished_servers').where('server_id', '=', clone.id).execute()
    }
    await remove().catch((err: unknown) =>
      log.warn({ err, server: clone.id }, 'an incomplete clone could not be deleted on its node; retrying later'),
    )
  }
}

/** The variables with new values. Throws ErrFieldInvalid. */
function withValues(
  { isAdmin }: Principal,
  data: Definition['data'],
  values: CloneRequest['data'],
): Definition['data'] {
  const changed = Object.entries(values).map(([name, { value }]) => {
    const variable = Object.hasOwn(data, name) ? data[name] : undefined
    const field = `data.${name}`
    if (!variable || value === undefined || (variable.internal && !isAdmin))
      throw new Refusal('ErrFieldInvalid', { field })
    const problem = validateVariable(name, variable, value, field)
    if (problem) throw problem
    return [name, { ...variable, value }] as const
  })
  return { ...data, ...Object.fromEntries(changed) }
}
