import { join } from 'node:path'
import type { TreePart } from '../files/transfer/tree-part.ts'
import type { Owner } from '../fs/owner.ts'
import type { RuntimeStore } from '../runtimes/runtime-store.ts'

interface Place {
  readonly dataDir: string
  readonly id: string
  /** The files of the server itself. */
  readonly files: { readonly directory: string; readonly owner: Owner | undefined }
}

type Runtimes = Pick<RuntimeStore, 'directory' | 'getFolder' | 'getArrivingFolder'>

/** The links of a server into the runtime store. */
export const runtimeLinks = (runtimes: Runtimes, id: string): TreePart => ({
  name: 'runtime-links',
  directory: runtimes.getFolder(id),
  owner: undefined,
  mode: 0o755,
})

const packagePrefix = 'runtime:'

/** A package of the runtime store that a server uses. */
export const runtimePackage = (name: string, directory: string): TreePart => ({
  name: `${packagePrefix}${name}`,
  directory,
  owner: undefined,
  mode: 0o755,
})

/** The name of the package, if the part is one. */
export const packageOf = (part: string): string | undefined =>
  part.startsWith(packagePrefix) ? part.slice(packagePrefix.length) : undefined

/** Everything that a node stores of a server, except its definition, its backups and its runtimes. */
export function serverParts({ dataDir, id, files }: Place): readonly TreePart[] {
  const own = (name: string, ...path: string[]) => ({ name, directory: join(dataDir, ...path), owner: undefined })
  const prefix = `${id}.`
  return [
    { name: 'files', ...files },
    own('trash', 'servers', '.trash', id),
    own('console', 'console', id),
    own('tasks', 'tasks', id),
    own('liveness', 'liveness', id),
    { ...own('stats', 'stats'), prefix },
    { ...own('players', 'players'), prefix },
    { ...own('state', 'state'), prefix },
  ]
}
