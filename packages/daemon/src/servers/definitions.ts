import { createHash } from 'node:crypto'
import { mkdir, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ServerDefinition } from '@innkeeper/contract/definitions/definition'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { limits } from '@innkeeper/contract/text/limits'
import { ServerId } from '@innkeeper/contract/text/server-id'
import { z } from 'zod'
import { syncDirectory, writeFileAtomic } from '../fs/atomic-write.ts'
import { ifExists } from '../fs/if-exists.ts'

/** A definition on disk, or why it cannot be used. */
export type StoredDefinition =
  | {
      readonly status: 'valid'
      readonly definition: ServerDefinition
      /** The parsed file. Unknown fields survive changes. */
      readonly raw: Readonly<Record<string, unknown>>
      /** A hash of the file. */
      readonly version: string
    }
  | { readonly status: 'damaged'; readonly reason: string }

/**
 * A server whose files are here while another node has it, or will have it. It has no definition here, and is not loaded: it
 * cannot start.
 */
const MovedServer = z.object({
  /** Names the move and its direction. Only a request that knows it opens the server. */
  move: z.string(),
  /** As it was stored; missing while the files arrive. */
  definition: z.record(z.string(), z.unknown()).optional(),
})
export type MovedServer = z.infer<typeof MovedServer>

/**
 * The definitions of a node, `<dir>/<id>.json`, written atomically. The files of a server are in the directory beside
 * it.
 */
export interface DefinitionStore {
  ids(): Promise<string[]>
  read(id: string): Promise<StoredDefinition | undefined>
  /**
   * Throws ErrStaleVersion when `ifMatch` is not the current version, ErrFieldTooLarge beyond `limits.definitionBytes`.
   */
  write(id: string, raw: Readonly<Record<string, unknown>>, ifMatch?: string): Promise<StoredDefinition>
  /** Returns the directory of a server's files. */
  getFolder(id: string): string
  /** Whether there are files of a server, also without a definition. */
  hasFiles(id: string): Promise<boolean>
  /** Removes the definition. Does nothing when it does not exist. */
  remove(id: string): Promise<void>
  /** The servers that are moved away from here, or are arriving: `<id>.moved`. Their definitions are not listed. */
  moved(): Promise<ReadonlyMap<string, MovedServer>>
  /** On disk when it returns: no later daemon loads the server. */
  writeMoved(id: string, moved: MovedServer): Promise<void>
  removeMoved(id: string): Promise<void>
}

export async function definitionStore(dir: string): Promise<DefinitionStore> {
  const getPath = (id: string) => join(dir, `${id}.json`)
  const getMovedPath = (id: string) => join(dir, `${id}.moved`)
  const getFolder = (id: string) => join(dir, id)
  await mkdir(dir, { recursive: true, mode: 0o711 })

  async function read(id: string): Promise<StoredDefinition | undefined> {
    return await readFile(getPath(id)).then(parse, (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' ? undefined : { status: 'damaged', reason: error.message },
    )
  }

  async function idsWith(suffix: string): Promise<string[]> {
    const names = (await readdir(dir)).filter((name) => name.endsWith(suffix))
    return names.flatMap((name) => ServerId.safeParse(name.slice(0, -suffix.length)).data ?? [])
  }

  return {
    async ids() {
      const moved = new Set(await idsWith('.moved'))
      return (await idsWith('.json')).filter((id) => !moved.has(id))
    },
    read,
    async write(id, raw, ifMatch) {
      const now = await read(id)
      if (now?.status === 'damaged') throw new Refusal('ErrServerDamaged', { reason: now.reason })
      if (ifMatch !== undefined && ifMatch !== now?.version) throw new Refusal('ErrStaleVersion')
      const bytes = Buffer.byteLength(JSON.stringify({ ...raw, id }))
      // A file that was edited by hand and is too large can still be made smaller.
      const bytesBefore = now ? Buffer.byteLength(JSON.stringify(now.raw)) : 0
      if (bytes > Math.max(limits.definitionBytes, bytesBefore))
        throw new Refusal('ErrFieldTooLarge', { field: 'definition', max: limits.definitionBytes })
      const data = Buffer.from(`${JSON.stringify({ ...raw, id }, null, 2)}\n`)
      const stored = parse(data)
      if (stored.status === 'damaged') throw new Refusal('ErrInvalidJson')
      await writeFileAtomic(getPath(id), data)
      return stored
    },
    getFolder,
    async hasFiles(id) {
      const names = await ifExists(readdir(getFolder(id)))
      return names !== undefined && names.length > 0
    },
    async remove(id) {
      await rm(getPath(id), { force: true })
      await syncDirectory(dir)
    },
    async moved() {
      const found = new Map<string, MovedServer>()
      for (const id of await idsWith('.moved'))
        found.set(id, MovedServer.parse(JSON.parse(await readFile(getMovedPath(id), 'utf8'))))
      return found
    },
    writeMoved: (id, moved) => writeFileAtomic(getMovedPath(id), `${JSON.stringify(moved, null, 2)}\n`),
    async removeMoved(id) {
      await rm(getMovedPath(id), { force: true })
      await syncDirectory(dir)
    },
  }
}

function parse(data: Buffer): StoredDefinition {
  try {
    const raw = z.record(z.string(), z.unknown()).parse(JSON.parse(data.toString('utf8')))
    const definition = ServerDefinition.parse(raw)
    return { status: 'valid', definition, raw, version: createHash('sha256').update(data).digest('hex').slice(0, 32) }
  } catch (cause) {
    return { status: 'damaged', reason: parseErrorText(cause) }
  }
}

function parseErrorText(cause: unknown): string {
  if (cause instanceof z.core.$ZodError) {
    const issue = cause.issues[0]
    return `${issue?.path.join('.') || 'definition'}: ${issue?.message}`
  }
  return cause instanceof SyntaxError ? `invalid JSON: ${cause.message}` : String(cause)
}
