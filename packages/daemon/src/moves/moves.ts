import type { IncomingMessage } from 'node:http'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import type { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { getPorts } from '@innkeeper/contract/definitions/port-variables'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { tryParseListenAddress } from '@innkeeper/contract/http/listen-address'
import type { MoveState } from '@innkeeper/contract/node-link/moves'
import { limits } from '@innkeeper/contract/text/limits'
import { z } from 'zod/mini'
import type { Backups } from '../backups/open-backups.ts'
import { abortable } from '../concurrency/timeout.ts'
import type { FileOperations } from '../file-jobs/file-operations.ts'
import { DirHandle } from '../files/path/dir-handle.ts'
import { RootFs } from '../files/root.ts'
import { type Changes, findChanges, packChanges } from '../files/transfer/export-changes.ts'
import { importChanges } from '../files/transfer/import-changes.ts'
import { chunkBytes, gather } from '../files/transfer/pack.ts'
import type { TreePart } from '../files/transfer/tree-part.ts'
import { type FindPart, isOf, walkParts } from '../files/transfer/tree-state.ts'
import { removeIn } from '../files/tree/remove-tree.ts'
import { ifExists } from '../fs/if-exists.ts'
import type { RuntimeStore } from '../runtimes/runtime-store.ts'
import type { Registry } from '../servers/registry.ts'
import type { Tasks } from '../tasks/tasks.ts'
import type { Trash } from '../trash/trash.ts'
import type { Uploads } from '../uploads/uploads.ts'
import { packageOf, runtimeLinks, runtimePackage, serverParts } from './server-parts.ts'

/** In the list: a runtime that the receiver has already. */
const installedState = 'installed'

/** An entry in the list of what a node has: its path and its state. */
const ListedEntry = z.tuple([z.string(), z.string()])

interface Deps {
  readonly dataDir: string
  readonly servers: Registry
  readonly fileOperations: Pick<FileOperations, 'end'>
  readonly tasks: Pick<Tasks, 'releasing'>
  readonly backups: Pick<Backups, 'jobs' | 'ofServers'>
  readonly uploads: Pick<Uploads, 'removeAll'>
  readonly trash: Pick<Trash, 'release'>
  readonly runtimes: RuntimeStore
}

/** What the panel moves from node to node: the files of servers with their history. */
export class Moves {
  readonly #deps: Deps
  /** Servers of which everything that has arrived is on disk, as far as this process knows. */
  readonly #synced = new Set<string>()

  constructor(deps: Deps) {
    this.#deps = deps
  }

  /** What this node has of a server. Throws ErrServerNotFound. */
  async state(id: string): Promise<MoveState> {
    const { servers, runtimes } = this.#deps
    const moved = servers.findMoved(id)
    const atMs = Date.now()
    if (moved) return { atMs, sealed: moved.move, ...(moved.definition && { definition: moved.definition }) }
    const { status, sleep } = servers.get(id)
    return {
      atMs,
      state: status.state,
      isStarted: status.running || sleep !== undefined || status.state === 'waiting',
      runtimes: [...(await runtimes.packagesOf(id))],
    }
  }

  /** Makes a server that is offline unavailable here, also for later daemons. */
  async seal(id: string, move: string): Promise<void> {
    const { servers, fileOperations, tasks, backups, trash } = this.#deps
    const server = servers.find(id)
    if (server?.status.running) throw new Refusal('ErrServerBusy', { state: server.status.state })
    if (server) await Promise.all([fileOperations.end(id), backups.jobs.cancelAll(id)])
    await tasks.releasing(id, () => servers.seal(id, move))
    await trash.release(id)
  }

  /** Makes a server that was sealed, or has arrived, available. */
  async open(id: string, move: string): Promise<void> {
    const { trash, runtimes, servers } = this.#deps
    await trash.release(id)
    if (servers.findMoved(id)?.move === move) await runtimes.placeArrived(id)
    await servers.openMoved(id, move)
  }

  /** Everything that this node has of a server: a line of JSON for each entry. */
  list(id: string, signal: AbortSignal): Readable {
    const [installed, receivedParts] = [this.#deps.runtimes.names(''), this.#receivedParts(id)]
    const lines = async function* () {
      for (const name of await installed)
        yield Buffer.from(`${JSON.stringify([runtimePackage(name, '').name, installedState])}\n`)
      const parts = await receivedParts
      for await (const { path, state } of walkParts(parts, signal))
        yield Buffer.from(`${JSON.stringify([path, state])}\n`)
    }
    return Readable.from(gather(lines()), { objectMode: false })
  }

  /** What another node lacks, which has sent its list. */
  async changes(id: string, { list, sinceMs, signal }: ChangesRequest): Promise<Changes> {
    if (!this.#deps.servers.findMoved(id)) this.#deps.servers.get(id)
    const { runtimes } = this.#deps
    const known = await abortable(readList(list), signal)
    const isInstalled = (part: TreePart) => known.get(part.name) === installedState
    const packages = (await runtimes.packagesOf(id)).map((name) => runtimePackage(name, join(runtimes.directory, name)))
    const parts = [...this.#partsOf(id), ...packages.filter((part) => !isInstalled(part))]
    const entries = new Map([...known].filter(([, state]) => state !== installedState))
    return await findChanges({ parts, known: entries, sinceMs, signal })
  }

  pack(changes: Changes, signal: AbortSignal): Readable {
    return Readable.from(gather(packChanges(changes, signal)), { objectMode: false, highWaterMark: 2 * chunkBytes })
  }

  /** Receives what another node has sent. The server is not available meanwhile. */
  async receive(
    id: string,
    { move, body, isFinal, signal }: ReceiveRequest,
  ): Promise<{ files: number; bytes: number }> {
    await this.#deps.servers.receive(id, move)
    // Otherwise the sender would get no response when the files cannot be stored.
    const chunks = body.iterator({ destroyOnReturn: false }) as AsyncIterator<Uint8Array>
    const pieces = { [Symbol.asyncIterator]: () => ({ next: () => abortable(chunks.next(), signal) }) }
    const parts = () => this.#receivedParts(id)
    const isSynced = this.#synced.delete(id)
    const counts = await importChanges({ findPart: this.#findPart(id), parts, body: pieces, isFinal, isSynced, signal })
    this.#synced.add(id)
    return counts
  }

  /** Deletes what this node has of a server that another node has. Does nothing when there is nothing. */
  async remove(id: string, move: string): Promise<void> {
    const { servers, trash, uploads, backups, runtimes } = this.#deps
    const moved = servers.findMoved(id)
    if (!moved && !servers.find(id)) return
    if (moved?.move !== move) throw new Refusal('ErrServerMoving')
    await trash.release(id)
    for (const part of this.#partsOf(id)) await removePart(part)
    await runtimes.dropArrived(id)
    await runtimes.forget(id)
    await uploads.removeAll(id)
    await backups.ofServers.removeAll(id)
    await servers.removeMoved(id)
    this.#synced.delete(id)
  }

  /** The ports of servers that were moved away and may come back. */
  get ports(): { readonly address: string; readonly port: number }[] {
    return [...this.#deps.servers.moved.values()].flatMap(({ definition }) => {
      const data = (definition?.data ?? {}) as ServerDefinition['data']
      return getPorts(data).map((port) => ({ address: tryParseListenAddress(data).ip, port }))
    })
  }

  #partsOf(id: string): readonly TreePart[] {
    const { dataDir, servers } = this.#deps
    return [...serverParts({ dataDir, id, files: servers.getFiles(id) }), runtimeLinks(this.#deps.runtimes, id)]
  }

  /** What has arrived of a server, also runtimes that this node does not have. */
  async #receivedParts(id: string): Promise<readonly TreePart[]> {
    const { runtimes } = this.#deps
    const arriving = await runtimes.arriving(id)
    const packages = arriving.map((name) => runtimePackage(name, runtimes.getArrivingFolder(id, name)))
    return [...this.#partsOf(id), ...packages]
  }

  #findPart(id: string): FindPart {
    const parts = this.#partsOf(id)
    return (name) => {
      const runtime = packageOf(name)
      // It is a single name: the path was split at slashes.
      if (runtime) return runtimePackage(runtime, this.#deps.runtimes.getArrivingFolder(id, runtime))
      return parts.find((part) => part.name === name)
    }
  }
}

interface ChangesRequest {
  readonly list: Readable
  readonly sinceMs: number
  readonly signal: AbortSignal
}

interface ReceiveRequest {
  readonly move: string
  readonly body: IncomingMessage
  readonly isFinal: boolean
  readonly signal: AbortSignal
}

async function readList(body: Readable): Promise<ReadonlyMap<string, string>> {
  const known = new Map<string, string>()
  for await (const line of createInterface({ input: body, crlfDelay: Number.POSITIVE_INFINITY })) {
    const [path, state] = ListedEntry.parse(JSON.parse(line))
    if (known.size >= limits.movedEntries) throw new Refusal('ErrTooMany', { max: limits.movedEntries })
    known.set(path, state)
  }
  return known
}

async function removePart(part: TreePart): Promise<void> {
  if (part.prefix === undefined) return await RootFs.remove(part.directory)
  const folder = await ifExists(DirHandle.open(part.directory))
  if (!folder) return
  try {
    for (const name of await folder.names()) if (isOf(part, [name])) await removeIn(folder, name)
  } finally {
    folder.close()
  }
}
