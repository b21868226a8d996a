import { existsSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'

/** A module for the bundle, and the worker scripts that it starts. */
interface TransformedModule {
  readonly code: string
  readonly workers: readonly string[]
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Retransformed by the folder of the bundle. CommonJS modules cannot use `import.meta`. */
export const bundleDirname = '__bundleDirname'

/** The keeper outlives a bundle, so it always runs from its sources. */
const keeperSource = /[\\/]packages[\\/]daemon[\\/]src[\\/]keeper[\\/]/
const scriptFile = /\.[cm]?[jt]s$/
const workerFile = /^\.\.?\/.*-worker\.ts$/

/**
 * Rolldown plugin: `import.meta.url`, `__dirname` and `__filename` of bundled modules refer to their source files, so that
 * they find the files beside them. Worker scripts, `new URL('./…-worker.ts', import.meta.url)`, are bundled as chunks.
 */
export function preserveFileUrls(folder: string): Plugin {
  const bundled = new Map<string, string>()
  return {
    name: 'preserve-file-urls',
    transform: {
      filter: { id: /^[^\0]/, code: /import\.meta|__dirname|__filename/ },
      handler(code, id) {
        const transformed = transformModule(folder, id, code)
        for (const worker of transformed.workers) {
          const fileName = bundledWorkerName(worker)
          const existing = bundled.get(fileName)
          if (existing === worker) continue
          if (existing) throw new Error(`${existing} and ${worker} would have the same file name: rename one of them`)
          bundled.set(fileName, worker)
          this.emitFile({ type: 'chunk', id: worker, fileName })
        }
        return { code: transformed.code }
      },
    },
  }
}

/**
 * Rewrites the file URLs of a module for a bundle in `folder`.
 * @throws Error for a use of `import.meta` that cannot be rewritten.
 */
export function transformModule(folder: string, id: string, code: string): TransformedModule {
  const { program, errors } = parseSync(id, code)
  if (errors[0]) throw new Error(`${id}: ${errors[0].message}`)
  const fail = (start: number, why: string): never => {
    throw new Error(`${id}:${code.slice(0, start).split('\n').length} cannot be bundled: ${why}`)
  }

  const source = relative(folder, id).replaceAll('\\', '/')
  const edits: Edit[] = []
  const workers: string[] = []
  /** Offsets of `import.meta` that have been handled. */
  const handled = new Set<number>()
  let usesDirname = false
  new Visitor({
    NewExpression({ callee, arguments: [path, base] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'URL' || path === undefined) return
      if (base?.type !== 'MemberExpression' || base.object.type !== 'MetaProperty') return
      const text =
        path.type === 'Literal' ? path.value : path.type === 'TemplateLiteral' && path.quasis.at(-1)?.value.raw
      if (typeof text !== 'string')
        return fail(path.start, 'the path must be a literal, or a template with a literal end')
      if (!scriptFile.test(text)) return
      const target = resolve(dirname(id), text)
      if (path.type === 'Literal' && workerFile.test(text) && existsSync(target)) {
        workers.push(target)
        handled.add(base.object.start)
        edits.push({ start: path.start, end: path.end, text: `'./${bundledWorkerName(target)}'` })
      } else if (path.type !== 'Literal' || !keeperSource.test(target)) {
        fail(
          path.start,
          'a script must be an existing worker (a literal path ending in -worker.ts) or part of the keeper',
        )
      }
    },
    MemberExpression({ object, property, computed, start, end }) {
      if (object.type !== 'MetaProperty' || computed || property.type !== 'Identifier') return
      if (handled.has(object.start)) return
      if (property.name === 'url') edits.push({ start, end, text: `new URL('${source}', import.meta.url).href` })
      else if (property.name === 'main' && keeperSource.test(id)) edits.push({ start, end, text: 'false' })
      else return
      handled.add(object.start)
    },
    MetaProperty({ meta, start }) {
      if (meta.name === 'import' && !handled.has(start)) fail(start, 'only import.meta.url is supported')
    },
    Identifier({ name }) {
      if (name === '__dirname' || name === '__filename') usesDirname = true
    },
  }).visit(program)

  if (usesDirname) {
    const file = `require('node:path').join(${bundleDirname}, ${JSON.stringify(source)})`
    const declarations = `const __filename = ${file}, __dirname = require('node:path').dirname(__filename);`
    edits.push({ start: 0, end: 0, text: declarations })
  }
  return { code: applyEdits(code, edits), workers }
}

function bundledWorkerName(worker: string): string {
  return `${basename(worker, '.ts')}.js`
}

function applyEdits(code: string, edits: readonly Edit[]): string {
  let text = code
  for (const { start, end, text: replacement } of edits.toSorted((a, b) => b.start - a.start))
    text = text.slice(0, start) + replacement + text.slice(end)
  return text
}
