import type { Plugin, Rolldown } from 'vite'

/**
 * Fails the build when scripts import one another in a circle, which merged files can: a module could then run before those that
 * it imports. `strictExecutionOrder` would prevent that too, but wraps each module in a function: 16 kB more for the servers list.
 */
export function acyclicFiles(): Plugin {
  return {
    name: 'innkeeper:acyclic-files',
    apply: 'build',
    generateBundle(_, bundle) {
      const circle = findCircle(Object.values(bundle).filter((output) => output.type === 'chunk'))
      if (circle)
        this.error(`Files import one another in a circle: ${circle.join(' → ')}. Change the groups that make them.`)
    },
  }
}

/** Returns the names of files that import one another, the first one also at the end. */
function findCircle(chunks: readonly Rolldown.OutputChunk[]): readonly string[] | undefined {
  const imports = new Map(chunks.map((chunk) => [chunk.fileName, chunk.imports]))
  const done = new Set<string>()
  const visit = (name: string, path: readonly string[]): readonly string[] | undefined => {
    if (path.includes(name)) return [...path.slice(path.indexOf(name)), name]
    if (done.has(name)) return undefined
    for (const imported of imports.get(name) ?? []) {
      const circle = visit(imported, [...path, name])
      if (circle) return circle
    }
    done.add(name)
    return undefined
  }
  for (const name of imports.keys()) {
    const circle = visit(name, [])
    if (circle) return circle
  }
  return undefined
}
