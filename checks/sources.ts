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

/** A TypeScript file, with what it imports. */
export interface Source extends TextFile {
  readonly imports: readonly Import[]
  /** Calls the visitor's functions for each node of the syntax tree. */
  visit(visitor: VisitorObject): void
  /** `packages/web/src/app/app.tsx:12`, to begin a message with. */
  at(offset: number): string
}

export interface Import {
  /** What is imported from: `./ring.ts`, `node:fs`, `@innkeeper/contract/limits`. */
  readonly from: string
  /** Only types: nothing is left of it when the program runs. */
  readonly isType: boolean
  readonly start: number
}

/** The text files that match, sorted. Generated and installed ones are left out. */
export function files(pattern: string | readonly string[]): TextFile[] {
  return globSync(pattern, { cwd: root, exclude: (path) => /(^|\/)(node_modules|dist|\.tsbuild|\.git)$/.test(path) })
    .filter((path) => statSync(join(root, path)).isFile())
    .map((path) => path.replaceAll('\\', '/'))
    .sort()
    .map((path) => ({ path, text: readFileSync(join(root, path), 'utf8') }))
}

/** The TypeScript files that match. */
export function sources(pattern: string | readonly string[]): Source[] {
  return files(pattern).map(({ path, text }) => sourceOf(path, text))
}

/** Parses one file; a mistake in its syntax is an error. */
export function sourceOf(path: string, text: string): Source {
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
  return { path, text, imports, visit, at: (offset) => `${path}:${lineOf(text, offset)}` }
}

/** Tests and what only they use. */
export function isForTests(path: string): boolean {
  return /\.test\.tsx?$|\/testing\//.test(path)
}

/** Whether the repository has this file or folder. */
export function exists(path: string): boolean {
  return existsSync(join(root, path))
}

export function lineOf(text: string, offset: number): number {
  return text.slice(0, offset).split('\n').length
}
