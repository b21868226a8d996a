import { posix } from 'node:path'
import { exists, type Import, isForTests, type Source } from './sources.ts'

/** The packages of ours that each package may use. */
const mayUse: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  daemon: ['contract'],
  panel: ['contract'],
  web: ['contract'],
  cli: ['contract', 'daemon', 'panel'],
}

/** Inside a package, from top to bottom: a folder imports only from its own level or below. */
const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  web: [['app'], ['screens'], ['features'], ['forms', 'ui', 'api', 'realtime', 'session', 'hotkeys', 'i18n', 'theme']],
  panel: [['http'], ['*'], ['access', 'database']],
  daemon: [
    ['http'],
    ['*'],
    ['files', 'environments', 'isolation', 'keeper', 'network', 'workers'],
    ['processes', 'proc', 'concurrency', 'errors', 'fs', 'memory'],
  ],
}

/** Folders whose parts stand side by side and do not know each other. */
const strangers: readonly string[] = ['packages/web/src/screens', 'packages/web/src/features']

/** Features that others are made of: what edits variables, a step, or a whole definition, is the same everywhere. */
const foundations: readonly string[] = [
  'packages/web/src/features/variables',
  'packages/web/src/features/steps',
  'packages/web/src/features/definition-editor',
]

/** Libraries that one place hides from the rest, so that they could be replaced there. */
const hidden: readonly { readonly library: RegExp; readonly places: readonly string[] }[] = [
  { library: /^(fastify|@fastify\/.*)$/, places: ['packages/panel/src/http', 'packages/daemon/src/http'] },
  { library: /^(better-sqlite3|pg|mysql2|kysely|kysely\/.*)$/, places: ['packages/panel/src/database'] },
  { library: /^@lydell\/node-pty$/, places: ['packages/daemon/src/keeper'] },
  { library: /^dockerode$/, places: ['packages/daemon/src/environments/docker'] },
]

/** What the imports of a file break, one message each. */
export function brokenImports(source: Source): string[] {
  return source.imports.flatMap((given) =>
    [wrongPackage, wrongLayer, sideways, hiddenLibrary, withoutEnding].flatMap((rule) => {
      const objection = rule(source, given)
      return objection ? [`${source.at(given.start)} imports '${given.from}': ${objection}`] : []
    }),
  )
}

function wrongPackage({ path }: Source, { from }: Import): string | undefined {
  const here = packageOf(path)
  const there = from.startsWith('.')
    ? packageOf(posix.join(posix.dirname(path), from))
    : /^@innkeeper\/([^/]+)/.exec(from)?.[1]
  if (from.startsWith('.')) {
    return here === there ? undefined : `go by the name of the other package (@innkeeper/…), not by its path`
  }
  if (!here || !there || here === there || mayUse[here]?.includes(there)) return undefined
  return `${here} may use ${mayUse[here]?.join(', ') || 'no other package'}; move what both need into contract`
}

function wrongLayer({ path }: Source, { from }: Import): string | undefined {
  if (!from.startsWith('.') || isForTests(path)) return undefined
  const here = placeOf(path)
  const there = placeOf(posix.join(posix.dirname(path), from))
  if (!here || !there || here.name !== there.name || isForTests(there.path)) return undefined
  const [upper, lower] = [levelOf(there.name, there.folder), levelOf(here.name, here.folder)]
  if (upper === undefined || lower === undefined || upper >= lower) return undefined
  return `${here.folder}/ is below ${there.folder}/; move what both need down, or hand it in from above`
}

function sideways({ path }: Source, { from }: Import): string | undefined {
  if (!from.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(path), from)
  for (const folder of strangers) {
    if (!path.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) continue
    const [here, there] = [path, target].map((file) => file.slice(folder.length + 1).split('/')[0])
    if (here !== there && !standsOn(path, target))
      return `the parts of ${folder} do not know each other; move what both need down`
  }
  return undefined
}

/** Whether a file may use a foundation: one may use only those before it. */
function standsOn(path: string, target: string): boolean {
  const [here, there] = [path, target].map((file) => foundations.findIndex((place) => file.startsWith(`${place}/`)))
  return there !== undefined && there >= 0 && (here === -1 || (here ?? 0) > there)
}

function hiddenLibrary({ path }: Source, { from }: Import): string | undefined {
  if (isForTests(path)) return undefined
  const rule = hidden.find(({ library }) => library.test(from))
  if (!rule || rule.places.some((place) => path.startsWith(`${place}/`) || path.startsWith(`${place}.`)))
    return undefined
  return `only ${rule.places.join(' and ')} may know this library; ask that place for what you need`
}

function withoutEnding({ path }: Source, { from }: Import): string | undefined {
  if (!from.startsWith('.')) return undefined
  if (!/\.(tsx?|mjs|css|json|svg|woff2|wasm)(\?\w+)?$/.test(from))
    return 'end it in .ts or .tsx, as the runtime needs it'
  const target = posix.join(posix.dirname(path), from.replace(/\?\w+$/, ''))
  return exists(target) ? undefined : 'there is no such file'
}

/** Every file that runs when the entry runs, the entry first; `read` gives the sources by path. */
export function reachedFrom(entry: string, read: ReadonlyMap<string, Source>): Source[] {
  const reached = new Map<string, Source>()
  const look = (path: string) => {
    const source = read.get(path)
    if (!source || reached.has(path)) return
    reached.set(path, source)
    for (const { from, isType } of source.imports) {
      if (!isType && from.startsWith('.')) look(posix.join(posix.dirname(path), from))
    }
  }
  look(entry)
  return [...reached.values()]
}

/** Names of files or folders, each with those that it imports. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>

/** What each file imports of the others. */
export function fileImports(sources: readonly Source[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map(({ path, imports }) => {
      const targets = imports.filter(({ from }) => from.startsWith('.')).map(({ from }) => resolveFrom(path, from))
      return [path, new Set(targets.filter((target) => paths.has(target)))]
    }),
  )
}

/** What each folder directly below `src` imports of the others. */
export function folderImports(sources: readonly Source[]): ImportGraph {
  const folders = new Map<string, Set<string>>()
  for (const [path, targets] of fileImports(sources)) {
    const from = placeOf(path)?.folder
    for (const target of targets) {
      const to = placeOf(target)?.folder
      if (from && to && from !== to) folders.set(from, (folders.get(from) ?? new Set()).add(to))
    }
  }
  return folders
}

/** The groups of names that import each other, directly or through others: Tarjan's strongly connected components. */
export function cyclesOf(graph: ImportGraph): string[][] {
  const index = new Map<string, number>()
  const lowest = new Map<string, number>()
  const stack: string[] = []
  const cycles: string[][] = []
  const lower = (name: string, to: number) => lowest.set(name, Math.min(lowest.get(name) ?? to, to))
  const visit = (name: string): void => {
    index.set(name, index.size)
    lower(name, index.get(name) as number)
    stack.push(name)
    for (const target of graph.get(name) ?? []) {
      if (!index.has(target)) visit(target)
      if (stack.includes(target)) lower(name, lowest.get(target) as number)
    }
    if (lowest.get(name) !== index.get(name)) return
    const group = stack.splice(stack.indexOf(name))
    if (group.length > 1) cycles.push(group.sort())
  }
  for (const name of graph.keys()) if (!index.has(name)) visit(name)
  return cycles
}

const resolveFrom = (path: string, from: string): string => posix.join(posix.dirname(path), from)

function packageOf(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1]
}

function placeOf(path: string): { name: string; folder: string; path: string } | undefined {
  const [, name, folder] = /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path) ?? []
  return name && folder ? { name, folder, path } : undefined
}

/** 0 is the top. Folders that no level names are subjects: they stand where the `*` is. */
function levelOf(name: string, folder: string): number | undefined {
  const levels = layers[name]
  if (!levels) return undefined
  const named = levels.findIndex((level) => level.includes(folder))
  const subjects = levels.findIndex((level) => level.includes('*'))
  return named >= 0 ? named : subjects >= 0 ? subjects : undefined
}
