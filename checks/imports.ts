import { posix } from 'node:path'
import { exists, type Import, isForTests, type Source } from './sources.ts'

/** The workspace packages that each package may import. */
const allowedPackages: Readonly<Record<string, readonly string[]>> = {
  contract: [],
  daemon: ['contract'],
  panel: ['contract'],
  web: ['contract'],
  cli: ['contract', 'daemon', 'panel'],
}

/** Layers of a package from top to bottom: a folder imports only from its own layer or a lower one. */
const layers: Readonly<Record<string, readonly (readonly string[])[]>> = {
  web: [['app'], ['screens'], ['features'], ['forms', 'ui', 'api', 'realtime', 'session', 'hotkeys', 'i18n', 'theme']],
  panel: [['http'], ['*'], ['access', 'database', 'security'], ['caching']],
  daemon: [
    ['http'],
    ['*'],
    ['files', 'environments', 'isolation', 'keeper', 'network', 'workers'],
    ['processes', 'proc', 'concurrency', 'errors', 'fs', 'memory'],
  ],
}

/** Folders whose subfolders must not import each other. */
const independentFolders: readonly string[] = ['packages/web/src/screens', 'packages/web/src/features']

/** Features that other features may import. Each may import only those before it. */
const sharedFeatures: readonly string[] = [
  'packages/web/src/features/compare',
  'packages/web/src/features/variables',
  'packages/web/src/features/steps',
  'packages/web/src/features/definition-editor',
]

interface ConfinedLibrary {
  readonly library: RegExp
  readonly places: readonly string[]
  readonly instead?: string
}

/** Libraries that only some folders may import. */
const confinedLibraries: readonly ConfinedLibrary[] = [
  { library: /^(fastify|@fastify\/.*)$/, places: ['packages/panel/src/http', 'packages/daemon/src/http'] },
  { library: /^(better-sqlite3|pg|mysql2|kysely|kysely\/.*)$/, places: ['packages/panel/src/database'] },
  { library: /^@lydell\/node-pty$/, places: ['packages/daemon/src/keeper'] },
  { library: /^dockerode$/, places: ['packages/daemon/src/environments/docker'] },
  {
    library: /^zod$/,
    places: ['packages/panel', 'packages/daemon', 'packages/cli'],
    instead: 'import zod/mini, which is smaller in a browser',
  },
]

/** A message for each import that breaks a rule. */
export function importViolations(source: Source): string[] {
  return source.imports.flatMap((imported) =>
    [packageViolation, layerViolation, siblingViolation, confinementViolation, extensionViolation].flatMap((rule) => {
      const message = rule(source, imported)
      return message ? [`${source.at(imported.start)} imports '${imported.from}': ${message}`] : []
    }),
  )
}

function packageViolation({ path }: Source, { from }: Import): string | undefined {
  const here = findPackage(path)
  const there = from.startsWith('.')
    ? findPackage(posix.join(posix.dirname(path), from))
    : /^@innkeeper\/([^/]+)/.exec(from)?.[1]
  if (from.startsWith('.')) {
    return here === there ? undefined : `use the name of the other package (@innkeeper/…) instead of a path`
  }
  if (!here || !there || here === there || allowedPackages[here]?.includes(there)) return undefined
  return `${here} may import ${allowedPackages[here]?.join(', ') || 'no other package'}; move shared code into contract`
}

function layerViolation({ path }: Source, { from }: Import): string | undefined {
  if (!from.startsWith('.') || isForTests(path)) return undefined
  const here = findLocation(path)
  const there = findLocation(posix.join(posix.dirname(path), from))
  if (!here || !there || here.name !== there.name || isForTests(there.path)) return undefined
  const [upper, lower] = [findLayer(there.name, there.folder), findLayer(here.name, here.folder)]
  if (upper === undefined || lower === undefined || upper >= lower) return undefined
  return `${here.folder}/ is below ${there.folder}/; move shared code down, or pass it as an argument`
}

function siblingViolation({ path }: Source, { from }: Import): string | undefined {
  if (!from.startsWith('.')) return undefined
  const target = posix.join(posix.dirname(path), from)
  for (const folder of independentFolders) {
    if (!path.startsWith(`${folder}/`) || !target.startsWith(`${folder}/`)) continue
    const [here, there] = [path, target].map((file) => file.slice(folder.length + 1).split('/')[0])
    if (here !== there && !isAllowedFeature(path, target))
      return `the subfolders of ${folder} must not import each other; move shared code down`
  }
  return undefined
}

/** Whether a file may import a shared feature: shared features may import only those before them. */
function isAllowedFeature(path: string, target: string): boolean {
  const [here, there] = [path, target].map((file) => sharedFeatures.findIndex((place) => file.startsWith(`${place}/`)))
  return there !== undefined && there >= 0 && (here === -1 || (here ?? 0) > there)
}

function confinementViolation({ path }: Source, { from }: Import): string | undefined {
  if (isForTests(path)) return undefined
  const rule = confinedLibraries.find(({ library }) => library.test(from))
  if (!rule || rule.places.some((place) => path.startsWith(`${place}/`) || path.startsWith(`${place}.`)))
    return undefined
  return `only ${rule.places.join(' and ')} may import this library; ${rule.instead ?? 'use the functions of that folder'}`
}

function extensionViolation({ path }: Source, { from }: Import): string | undefined {
  if (!from.startsWith('.')) return undefined
  if (!/\.(tsx?|mjs|css|json|svg|woff2|wasm)(\?\w+)?$/.test(from))
    return 'add the extension .ts or .tsx, which the runtime requires'
  const target = posix.join(posix.dirname(path), from.replace(/\?\w+$/, ''))
  return exists(target) ? undefined : 'the file does not exist'
}

/** The entry and all files that it imports at run time, directly or indirectly. `read` contains the sources by path. */
export function reachableFrom(entry: string, read: ReadonlyMap<string, Source>): Source[] {
  const found = new Map<string, Source>()
  const visit = (path: string) => {
    const source = read.get(path)
    if (!source || found.has(path)) return
    found.set(path, source)
    for (const { from, isType } of source.imports) {
      if (!isType && from.startsWith('.')) visit(posix.join(posix.dirname(path), from))
    }
  }
  visit(entry)
  return [...found.values()]
}

/** Imports of each file or folder, by name. */
export type ImportGraph = ReadonlyMap<string, ReadonlySet<string>>

/** The imports between files. */
function fileImports(sources: readonly Source[]): ImportGraph {
  const paths = new Set(sources.map(({ path }) => path))
  return new Map(
    sources.map(({ path, imports }) => {
      const targets = imports.filter(({ from }) => from.startsWith('.')).map(({ from }) => resolveFrom(path, from))
      return [path, new Set(targets.filter((target) => paths.has(target)))]
    }),
  )
}

/** The imports between folders, of all levels. */
export function folderImports(sources: readonly Source[]): ImportGraph {
  const folders = new Map<string, Set<string>>()
  for (const [path, targets] of fileImports(sources)) {
    const from = posix.dirname(path)
    for (const to of [...targets].map((target) => posix.dirname(target))) {
      if (from !== to) folders.set(from, (folders.get(from) ?? new Set()).add(to))
    }
  }
  return folders
}

/** Import cycles: Tarjan's strongly connected components. */
export function getCycles(graph: ImportGraph): string[][] {
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

function findPackage(path: string): string | undefined {
  return /^packages\/([^/]+)\//.exec(path)?.[1]
}

function findLocation(path: string): { name: string; folder: string; path: string } | undefined {
  const [, name, folder] = /^packages\/([^/]+)\/src\/([^/]+)\//.exec(path) ?? []
  return name && folder ? { name, folder, path } : undefined
}

/** The index of the layer; 0 is the top. `*` stands for all folders that no layer names. */
function findLayer(name: string, folder: string): number | undefined {
  const levels = layers[name]
  if (!levels) return undefined
  const named = levels.findIndex((level) => level.includes(folder))
  const subjects = levels.findIndex((level) => level.includes('*'))
  return named >= 0 ? named : subjects >= 0 ? subjects : undefined
}
