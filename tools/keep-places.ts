import { existsSync } from 'node:fs'
import { basename, dirname, relative, resolve } from 'node:path'
import type { Plugin } from 'rolldown'
import { parseSync, Visitor } from 'rolldown/utils'

/** A module as it is bundled, and the programs of threads that it begins. */
interface Placed {
  readonly code: string
  readonly threads: readonly string[]
}

interface Edit {
  readonly start: number
  readonly end: number
  readonly text: string
}

/** Stands for the folder of the bundle in CommonJS modules, which may not say `import.meta`. */
export const folderOfBundle = '__folderOfBundle'

/** Run from their sources by a bundle too: the keeper outlives it. */
const isRunFromSources = /[\\/]packages[\\/]daemon[\\/]src[\\/]keeper[\\/]/
const isProgram = /\.[cm]?[jt]s$/
const isThread = /^\.\.?\/.*-worker\.ts$/

/**
 * Lets modules of a bundle find their files where they would without it: `import.meta.url`, `__dirname` and `__filename`
 * stay those of the source. The program of a thread, `new URL('./…-worker.ts', import.meta.url)`, alone is bundled too.
 */
export function keepPlaces(folder: string): Plugin {
  const bundled = new Map<string, string>()
  return {
    name: 'keep-places',
    transform: {
      filter: { id: /^[^\0]/, code: /import\.meta|__dirname|__filename/ },
      handler(code, id) {
        const placed = placedIn(folder, id, code)
        for (const thread of placed.threads) {
          const fileName = fileOf(thread)
          const former = bundled.get(fileName)
          if (former === thread) continue
          if (former) throw new Error(`${former} and ${thread} would be one file: name one of them otherwise`)
          bundled.set(fileName, thread)
          this.emitFile({ type: 'chunk', id: thread, fileName })
        }
        return { code: placed.code }
      },
    },
  }
}

/**
 * A module with its places as they have to be said in a bundle in that folder.
 * @throws Error where that cannot be known.
 */
export function placedIn(folder: string, id: string, code: string): Placed {
  const { program, errors } = parseSync(id, code)
  if (errors[0]) throw new Error(`${id}: ${errors[0].message}`)
  const refuse = (start: number, why: string): never => {
    throw new Error(`${id}:${code.slice(0, start).split('\n').length} cannot be bundled: ${why}`)
  }

  const here = relative(folder, id).replaceAll('\\', '/')
  const edits: Edit[] = []
  const threads: string[] = []
  /** Where `import.meta` is spoken for. */
  const known = new Set<number>()
  let namesItself = false
  new Visitor({
    NewExpression({ callee, arguments: [path, base] }) {
      if (callee.type !== 'Identifier' || callee.name !== 'URL' || path === undefined) return
      if (base?.type !== 'MemberExpression' || base.object.type !== 'MetaProperty') return
      const text =
        path.type === 'Literal' ? path.value : path.type === 'TemplateLiteral' && path.quasis.at(-1)?.value.raw
      if (typeof text !== 'string') return refuse(path.start, 'say what this is the path of, or at least its end')
      if (!isProgram.test(text)) return
      const target = resolve(dirname(id), text)
      if (path.type === 'Literal' && isThread.test(text) && existsSync(target)) {
        threads.push(target)
        known.add(base.object.start)
        edits.push({ start: path.start, end: path.end, text: `'./${fileOf(target)}'` })
      } else if (path.type !== 'Literal' || !isRunFromSources.test(target)) {
        refuse(path.start, 'a program is that of a thread, ends in -worker.ts and is written out, or it is the keeper')
      }
    },
    MemberExpression({ object, property, computed, start, end }) {
      if (object.type !== 'MetaProperty' || computed || property.type !== 'Identifier') return
      if (known.has(object.start)) return
      if (property.name === 'url') edits.push({ start, end, text: `new URL('${here}', import.meta.url).href` })
      else if (property.name === 'main' && isRunFromSources.test(id)) edits.push({ start, end, text: 'false' })
      else return
      known.add(object.start)
    },
    MetaProperty({ meta, start }) {
      if (meta.name === 'import' && !known.has(start)) refuse(start, 'of import.meta only the url is known')
    },
    Identifier({ name }) {
      if (name === '__dirname' || name === '__filename') namesItself = true
    },
  }).visit(program)

  if (namesItself) {
    const file = `require('node:path').join(${folderOfBundle}, ${JSON.stringify(here)})`
    const names = `const __filename = ${file}, __dirname = require('node:path').dirname(__filename);`
    edits.push({ start: 0, end: 0, text: names })
  }
  return { code: edited(code, edits), threads }
}

function fileOf(thread: string): string {
  return `${basename(thread, '.ts')}.js`
}

function edited(code: string, edits: readonly Edit[]): string {
  let text = code
  for (const { start, end, text: put } of edits.toSorted((a, b) => b.start - a.start))
    text = text.slice(0, start) + put + text.slice(end)
  return text
}
