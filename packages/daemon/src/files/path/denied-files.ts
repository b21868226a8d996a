import { Refusal } from '@innkeeper/contract/errors/refusals'
import { trimEnd } from '@innkeeper/contract/text/trim-end'
import { RE2JS } from 're2js'
import { formatPath, type SafePath } from './safe-path.ts'

interface Rule {
  readonly pattern: RE2JS
  /** A pattern after `!`. */
  readonly isAllowed: boolean
}

/** By the list of a definition: it is asked for each request. */
const compiled = new WeakMap<readonly string[], DeniedFiles>()

/**
 * The files that a template keeps from the users of a server, by patterns as in a .gitignore. What is below a denied
 * folder is denied, too. Case is ignored, as some file systems do.
 */
export class DeniedFiles {
  /** To be given to a thread. */
  readonly patterns: readonly string[]
  readonly #rules: readonly Rule[]

  /** Undefined without patterns. */
  static of(patterns: readonly string[] | null | undefined): DeniedFiles | undefined {
    if (!patterns || patterns.length === 0) return undefined
    const known = compiled.get(patterns)
    if (known) return known
    const denied = new DeniedFiles(patterns)
    compiled.set(patterns, denied)
    return denied
  }

  private constructor(patterns: readonly string[]) {
    this.patterns = patterns
    this.#rules = patterns.flatMap((pattern) => parseRule(pattern) ?? [])
  }

  /** Whether a path without links is denied. */
  has(path: readonly string[]): boolean {
    return path.some((_, at) => this.#matches(path.slice(0, at + 1).join('/')))
  }

  /** Throws ErrFileDenied. */
  assertAllowed(path: SafePath): void {
    if (this.has(path)) throw new Refusal('ErrFileDenied', { path: formatPath(path) })
  }

  /** The last pattern that matches decides. */
  #matches(path: string): boolean {
    const last = this.#rules.findLast(({ pattern }) => pattern.matches(path))
    return last !== undefined && !last.isAllowed
  }
}

/** Parses a line of a .gitignore; undefined for a comment or a blank line. */
function parseRule(line: string): Rule | undefined {
  const trimmed = line.trimEnd()
  // A backslash keeps one blank at the end.
  const text = trimmed.endsWith('\\') && trimmed !== line ? `${trimmed} ` : trimmed
  if (text === '' || text.startsWith('#')) return undefined
  const isAllowed = text.startsWith('!')
  const pattern = (isAllowed ? text.slice(1) : text).replace(/^\.\//, '/')
  // A pattern for folders also matches a file of this name, which is not known here.
  const names = trimEnd(pattern, '/')
  if (names === '') return undefined
  const isAnchored = names.includes('/')
  const source = `${isAnchored ? '' : '(?:.*/)?'}${getSource(names.replace(/^\/+/, ''))}`
  return { pattern: RE2JS.compile(source, RE2JS.CASE_INSENSITIVE | RE2JS.DOTALL), isAllowed }
}

const special = /^\*\*\/|\/\*\*\/|\/\*\*$|\*|\?|\[|\\?./gs

function getSource(pattern: string): string {
  let source = ''
  special.lastIndex = 0
  for (let match = special.exec(pattern); match; match = special.exec(pattern)) {
    const [token] = match
    const end =
      token === '['
        ? pattern.indexOf(']', special.lastIndex + (/[!^]/.test(pattern[special.lastIndex] ?? '') ? 2 : 1))
        : -1
    if (end > 0) {
      source += getClass(pattern.slice(match.index, end + 1))
      special.lastIndex = end + 1
    } else source += sourceOfToken(token)
  }
  return source
}

function sourceOfToken(token: string): string {
  if (token === '**/') return '(?:.*/)?'
  if (token === '/**/') return '/(?:.*/)?'
  if (token === '/**') return '/.*'
  if (token === '*') return '[^/]*'
  if (token === '?') return '[^/]'
  return RE2JS.quote(token.length === 2 && token.startsWith('\\') ? token.slice(1) : token)
}

/** A class of characters; one that is not valid is text. */
function getClass(token: string): string {
  const isNegated = /^\[[!^]/.test(token)
  const inside = token.slice(isNegated ? 2 : 1, -1).replace(/[\\[\]^&~]/g, '\\$&')
  const source = `[${isNegated ? '^/' : ''}${inside}]`
  try {
    RE2JS.compile(source)
    return source
  } catch {
    return RE2JS.quote(token)
  }
}
