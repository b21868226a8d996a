import { gzipSync } from 'node:zlib'
import type { Plugin, Rolldown } from 'vite'

interface Budget {
  /** Modules that the page loads first, relative to `src`. */
  readonly modules: readonly string[]
  /** JavaScript of these modules and all their static imports, in bytes after gzip. */
  readonly maxBytes: number
}

/** Fails the build when a page needs more JavaScript for its first load than its budget. */
export function firstLoadBudgets(budgets: Readonly<Record<string, Budget>>): Plugin {
  return {
    name: 'innkeeper:first-load-budgets',
    apply: 'build',
    generateBundle: {
      // After Vite has added the list of the files that each import loads.
      order: 'post',
      handler(_, bundle) {
        const chunks = Object.values(bundle).filter((output) => output.type === 'chunk')
        for (const [page, { modules, maxBytes }] of Object.entries(budgets)) {
          const files = withImports(
            chunks,
            modules.map((path) => getChunk(chunks, path).fileName),
          )
          const bytes = [...files].reduce((sum, { code }) => sum + gzipSync(code, { level: 9 }).length, 0)
          const figures = `${page}: ${bytes} bytes in ${files.size} files, budget ${maxBytes}`
          if (bytes > maxBytes) this.error(`The first load grew beyond its budget. ${figures}`)
          this.info(figures)
        }
      },
    },
  }
}

function getChunk(chunks: readonly Rolldown.OutputChunk[], path: string): Rolldown.OutputChunk {
  const chunk = chunks.find(({ moduleIds }) => moduleIds.some((id) => id.endsWith(`/src/${path}`)))
  if (!chunk) throw new Error(`No chunk contains ${path}`)
  return chunk
}

/** The named chunks and all that they import statically. */
function withImports(
  chunks: readonly Rolldown.OutputChunk[],
  fileNames: readonly string[],
): ReadonlySet<Rolldown.OutputChunk> {
  const found = new Set<Rolldown.OutputChunk>()
  const waiting = [...fileNames]
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    const chunk = chunks.find(({ fileName }) => fileName === name)
    if (!chunk || found.has(chunk)) continue
    found.add(chunk)
    waiting.push(...chunk.imports)
  }
  return found
}
