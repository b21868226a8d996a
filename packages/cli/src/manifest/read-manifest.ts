import { open } from 'node:fs/promises'
import { issueRefusal } from '@innkeeper/contract/definitions/validate'
import { isSafeKey } from '@innkeeper/contract/text/names'
import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
} from 'yaml'
import type { z } from 'zod'
import { Manifest } from './schema.ts'
import { secretTag } from './secrets.ts'

/** A larger file is not read. */
export const maxManifestBytes = 32 * 1024 ** 2
/** Nodes that aliases may add, so that a small file cannot become a huge one. */
const maxAliases = 100
const maxDepth = 100
/** Further problems of a file are not listed. */
const maxProblems = 50

/** Where something is in the file: its keys and positions, from the top. */
export type ManifestPath = readonly (string | number)[]

/** What is wrong in the file. */
export interface ManifestProblem {
  readonly path: ManifestPath
  readonly message: string
}

/** The file cannot be used. The message has a line for each problem, with line and column. */
export class ManifestError extends Error {
  override readonly name = 'ManifestError'
}

export interface LoadedManifest {
  readonly manifest: Manifest
  /** The error for these problems. */
  getError(problems: readonly ManifestProblem[]): ManifestError
}

/** @throws ManifestError */
export async function readManifestFile(path: string): Promise<LoadedManifest> {
  await using file = await open(path, 'r')
  const stats = await file.stat()
  if (!stats.isFile()) throw new ManifestError(`${path} is not a file.`)
  if (stats.size > maxManifestBytes) throw new ManifestError(`${path} has more than ${maxManifestBytes} bytes.`)
  return parseManifest(await file.readFile('utf8'), path)
}

/**
 * Parses a manifest; `file` is its name in errors.
 * @throws ManifestError
 */
export function parseManifest(text: string, file: string): LoadedManifest {
  const lines = new LineCounter()
  const at = (offset: number, message: string) => {
    const { line, col } = lines.linePos(offset)
    return `${file}:${line}:${col}: ${message}`
  }
  const fail = (found: readonly string[]) => new ManifestError(found.slice(0, maxProblems).join('\n'))
  const document = parseDocument(text, {
    lineCounter: lines,
    customTags: [secretTag],
    stringKeys: true,
    prettyErrors: false,
  })
  const syntax = [...document.errors, ...document.warnings].map(({ pos, message }) => at(pos[0], message))
  if (syntax.length > 0) throw fail(syntax)
  const values = valueProblems(document).map(({ offset, message }) => at(offset, message))
  if (values.length > 0) throw fail(values)
  const getError = (problems: readonly ManifestProblem[]) =>
    fail(problems.map(({ path, message }) => at(getOffset(document, path), message)))
  const read = Manifest.safeParse(getContent(document, file), { reportInput: true })
  if (!read.success) throw getError(getProblems(read.error, []))
  return { manifest: read.data, getError }
}

/** All problems that a schema found, below a path of the file. */
export function getProblems(error: z.core.$ZodError, below: ManifestPath): readonly ManifestProblem[] {
  return error.issues.flatMap((issue) => {
    const path = [...below, ...issue.path.map((key) => (typeof key === 'symbol' ? String(key) : key))]
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: [...path, key], message: `There is no field '${key}' here.` }))
    return { path, message: `${issueRefusal(issue).message}.` }
  })
}

function getContent(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: maxAliases }) as unknown
  } catch (error) {
    if (error instanceof ReferenceError || error instanceof RangeError)
      throw new ManifestError(`${file}: ${error.message}`)
    throw error
  }
}

/** Numbers that do not survive (with leading zeros, hexadecimal, too large), unsafe keys, and what is nested too deeply. */
function valueProblems(document: Document): readonly { readonly offset: number; readonly message: string }[] {
  const found: { offset: number; message: string }[] = []
  visit(document, (_, node, parents) => {
    if (parents.length > maxDepth) {
      found.push({ offset: getStart(node), message: `This is in more than ${maxDepth} levels.` })
      return visit.BREAK
    }
    if (isPair(node) && isScalar(node.key) && !isSafeKey(String(node.key.value)))
      found.push({ offset: getStart(node.key), message: 'This name cannot be used.' })
    if (!isScalar(node) || typeof node.value !== 'number' || node.source === undefined) return undefined
    const isLossy = Number.isInteger(node.value) && !Number.isSafeInteger(node.value)
    if (isLossy || /^[-+]?0[\dxo]/.test(node.source))
      found.push({ offset: getStart(node), message: 'Write this number in quotes, to keep it as it is.' })
    return undefined
  })
  return found
}

/** The offset of a path, or of the nearest level above it. */
function getOffset(document: Document, path: ManifestPath): number {
  let node: unknown = document.contents
  let offset = getStart(node)
  for (const key of path) {
    if (isAlias(node)) node = node.resolve(document)
    if (isMap(node)) {
      const pair = node.items.find(({ key: name }) => isScalar(name) && String(name.value) === String(key))
      if (!pair) return offset
      offset = getStart(pair.key) || offset
      node = pair.value
    } else if (isSeq(node)) {
      const item = node.items[Number(key)]
      if (item === undefined) return offset
      offset = getStart(item) || offset
      node = item
    } else return offset
  }
  return offset
}

function getStart(node: unknown): number {
  return (node as Node | null | undefined)?.range?.[0] ?? 0
}
