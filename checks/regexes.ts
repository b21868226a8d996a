import { analyse } from 'scslre'
import type { Source } from './sources.ts'

/**
 * Returns a message for each regular expression of a file that can take more than linear time: one that backtracks, or one
 * that is tried again at every character, such as `/x+$/`. An expression whose source is not a literal is not checked.
 */
export function slowRegexes(source: Source): string[] {
  const found: string[] = []
  const analyzePattern = (pattern: string, flags: string, start: number) => {
    const { reports } = analyse({ source: pattern, flags }, { reportTypes: { Move: true } })
    if (reports.length === 0) return
    const characters = [...new Set(reports.map(({ character }) => JSON.stringify(character.pick)))].join(', ')
    found.push(`${source.at(start)} /${pattern}/${flags} is slow on many ${characters}: use a string function`)
  }
  const analyzeCall = (callee: unknown, [pattern, flags]: readonly unknown[], start: number) => {
    if ((callee as Node).type !== 'Identifier' || (callee as Node).name !== 'RegExp') return
    const text = findText(pattern)
    if (text !== undefined) analyzePattern(text, flags === undefined ? '' : (findText(flags) ?? ''), start)
  }
  source.visit({
    Literal(node) {
      if ('regex' in node) analyzePattern(node.regex.pattern, node.regex.flags, node.start)
    },
    NewExpression: (node) => analyzeCall(node.callee, node.arguments, node.start),
    CallExpression: (node) => analyzeCall(node.callee, node.arguments, node.start),
  })
  return found
}

interface Node {
  readonly type: string
  readonly name?: string
  readonly value?: unknown
  readonly quasis?: readonly { readonly value: { readonly raw: string; readonly cooked: string | null } }[]
  readonly tag?: unknown
  readonly quasi?: unknown
}

/** The value of a constant text expression: a literal, a template without placeholders, or `String.raw` of one. */
function findText(expression: unknown): string | undefined {
  const node = expression as Node
  if (node.type === 'Literal') return typeof node.value === 'string' ? node.value : undefined
  if (node.type === 'TaggedTemplateExpression') {
    const { quasis = [] } = node.quasi as Node
    return quasis.length === 1 ? quasis[0]?.value.raw : undefined
  }
  if (node.type !== 'TemplateLiteral' || node.quasis?.length !== 1) return undefined
  return node.quasis[0]?.value.cooked ?? undefined
}
