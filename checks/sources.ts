import { existsSync, globSync, readFileSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync, Visitor, type VisitorObject } from 'vite'

/** The folder of the repository. */
export const root = dirname(dirname(fileURLToPath(import.meta.url)))

/** A text file of the repository; the path is relative to its root. */
export interface TextFile {
  readonly path: string
  readonly text: string
}

/** A TypeScript file with its imports. */
export interface Source extends TextFile {
  readonly imports: readonly Import[]
  /** Calls the visitor's functions for each node of the syntax tree. */
  visit(visitor: VisitorObject): void
  /** A location for messages: `packages/web/src/app/app.tsx:12`. */
  at(offset: number): string
}

export interface Import {
  /** The module specifier: `./ring.ts`, `node:fs`, `@innkeeper/contract/text/limits`. */
  readonly from: string
  /** Whether only types are imported, which are erased at run time. */
  readonly isType: boolean
  readonly start: number
}

/** Text files that match a glob pattern, sorted, without generated and installed ones. */
export function files(pattern: string | readonly string[]): TextFile[] {
  return globSync(pattern, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|\.tsbuild|\.git)$/.test(path) })
    .filter((path) => statSync(join(root, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** TypeScript files that match a glob pattern. */
export function sources(pattern: string | readonly string[]): Source[] {
  return files(pattern).map(({ path, text }) => getSource(path, text))
}

/** Parses a file. @throws Error for invalid syntax. */
export function getSource(path: string, text: string): Source {
  const { program, module, errors } = parseSync(path, text)
  if (errors[0]) throw new Error(`${path}: ${errors[0].message}`)

  const imports: Import[] = []
  for (const { moduleRequest, entries, start } of module.staticImports) {
    imports.push({
      from: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      start,
    })
  }
  for (const { entries } of module.staticExports) {
    for (const { moduleRequest, isType, start } of entries) {
      if (moduleRequest) imports.push({ from: moduleRequest.value, isType, start })
    }
  }
  const visit = (visitor: VisitorObject) => new Visitor(visitor).visit(program)
  visit({
    ImportExpression({ source, start }) {
      if (source.type === 'Literal') imports.push({ from: String(source.value), isType: false, start })
    },
    TSImportType({ source, start }) {
      imports.push({ from: source.value, isType: true, start })
    },
  })
  return { path, text, imports, visit, at: (offset) => `${path}:${getLine(text, offset)}` }
}

/** Whether a file is a test or imported only by tests. */
export function isForTests(path: string): boolean {
  return /\.test\.tsx?$|\/testing\//.test(path)
}

/** Whether a file or folder exists in the repository. */
export function exists(path: string): boolean {
  return existsSync(join(root, path))
}

export function getLine(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
