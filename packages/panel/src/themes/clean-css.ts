import { defaultPalettes, getPalette, type SchemeColors } from '@innkeeper/contract/theme/palette'
import { ThemeError } from '@innkeeper/contract/theme/theme-error'
import { type CssNode, generate, type List, type ListItem, parse, tokenize, tokenTypes, walk } from 'css-tree'

/** Properties that can neither move nor cover other elements. */
const allowedProperties =
  /^(?:color|accent-color|caret-color|fill|stroke|font-(?:family|style|weight|variant[\w-]*|feature-settings)|letter-spacing|text-(?:transform|decoration[\w-]*|shadow|underline-offset)|background(?:-(?:color|image|size|position|repeat|blend-mode))?|border(?:-(?:top|right|bottom|left|inline(?:-start|-end)?|block(?:-start|-end)?))?(?:-(?:color|style|width))?|border-(?:[\w-]+-)?radius|box-shadow|outline-color|scrollbar-color|transition(?:-[\w-]+)?)$/
const allowedAtRules: ReadonlySet<string> = new Set(['media', 'supports'])
/** Maximum length in pixels, by property. A longer border, shadow or line could cover other controls. */
const maxLengths: readonly (readonly [RegExp, number])[] = [
  [/^border(?!.*radius)/, 4],
  [/^(?:letter-spacing|text-decoration)/, 4],
  [/^/, 48],
]
const [maxShadows, maxShadowOffset, maxBlur] = [3, 8, 32]
const maxSeconds = 2
const pixelsPerUnit: Readonly<Record<string, number>> = { px: 1, rem: 16, em: 16, pt: 4 / 3 }
const secondsPerUnit: Readonly<Record<string, number>> = { s: 1, ms: 0.001 }
const angles: ReadonlySet<string> = new Set(['deg', 'rad', 'grad', 'turn'])
/** Other functions load images, or compute lengths that cannot be checked. */
const allowedFunctions =
  /^(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color|color-mix|(?:repeating-)?(?:linear|radial|conic)-gradient|cubic-bezier|linear|steps|var)$/i
const colorTokens = new Set(Object.keys(getPalette(seedsOfDefault(), 'light')))
/** These may be written with one colon. */
const legacyPseudoElements = /^(?:before|after|first-line|first-letter)$/i
const maxListed = 20
/** Parser and walker call themselves for each level. */
const maxNesting = 32
/** The parser reads the whole text for each error. */
const maxErrors = 200

/** The CSS of a theme that may be used. */
export interface CleanCss {
  readonly css: string
  /** A removed part with its line, for the user who uploaded the theme. */
  readonly leftOut: readonly string[]
}

/**
 * Sanitizes the CSS of a theme: allows colors, fonts, borders, shadows and backgrounds. Images must be among the
 * `assets` of the theme; external resources, positioning, sizing, hiding and generated content are removed. Takes time in
 * proportion to the length. @throws ThemeError
 */
export function cleanCss(css: string, assets: readonly string[]): CleanCss {
  const leftOut: string[] = []
  if (getNesting(css) > maxNesting) throw new ThemeError('cssTooComplex')
  let errors = 0
  const onParseError = () => {
    if (++errors > maxErrors) throw new ThemeError('cssTooComplex')
  }
  const tree = parse(css, { positions: true, parseCustomProperty: true, onParseError })
  walk(tree, {
    enter(node: CssNode, item: ListItem<CssNode>, list: List<CssNode>) {
      const what = findProblem(node, assets)
      if (what === undefined || !list) return
      if (leftOut.length < maxListed) leftOut.push(`${what.slice(0, 60)} (line ${node.loc?.start.line ?? 1})`)
      list.remove(item)
    },
  })
  removeEmptyRules(tree)
  return { css: generate(tree), leftOut }
}

const { LeftCurlyBracket, LeftParenthesis, LeftSquareBracket } = tokenTypes
const { RightCurlyBracket, RightParenthesis, RightSquareBracket } = tokenTypes
const opening: ReadonlySet<number> = new Set([
  ...[LeftCurlyBracket, LeftParenthesis, LeftSquareBracket, tokenTypes.Function],
])
const closing: ReadonlySet<number> = new Set([RightCurlyBracket, RightParenthesis, RightSquareBracket])

/** The maximum number of brackets that are open at the same time. */
function getNesting(css: string): number {
  let [depth, deepest] = [0, 0]
  tokenize(css, (type) => {
    if (opening.has(type)) deepest = Math.max(deepest, ++depth)
    else if (closing.has(type)) depth = Math.max(0, depth - 1)
  })
  return deepest
}

/** Describes a node that must be removed; `undefined` when it is allowed. */
function findProblem(node: CssNode, assets: readonly string[]): string | undefined {
  if (node.type === 'Raw' || node.type === 'CDO' || node.type === 'CDC') return 'unreadable text'
  if (node.type === 'Atrule') return allowedAtRules.has(node.name.toLowerCase()) ? undefined : `@${node.name}`
  if (node.type === 'Rule') return hasPseudoElement(node) ? 'a pseudo-element' : undefined
  if (node.type !== 'Declaration') return undefined
  const name = node.property.toLowerCase()
  return allowedProperties.test(name) && hasSafeValue(name, node.value, assets) ? undefined : node.property
}

/** `::before` and similar ones create boxes. */
function hasPseudoElement({ prelude }: Extract<CssNode, { type: 'Rule' }>): boolean {
  let found = false
  walk(prelude, (node) => {
    const isLegacy = node.type === 'PseudoClassSelector' && legacyPseudoElements.test(node.name)
    if (isLegacy || node.type === 'PseudoElementSelector' || node.type === 'Raw') found = true
  })
  return found
}

function hasSafeValue(property: string, value: CssNode, assets: readonly string[]): boolean {
  const maxLength = maxLengths.find(([pattern]) => pattern.test(property))?.[1] ?? 0
  const isShadow = property.endsWith('-shadow')
  let isSafe = !isShadow || hasSafeShadows(value)
  walk(value, (node) => {
    if (node.type === 'Raw') isSafe = false
    if (node.type === 'Url' && !assets.includes(node.value.replace(/^\.\//, ''))) isSafe = false
    if (node.type === 'Function' && !isAllowedFunction(node)) isSafe = false
    if (node.type === 'Dimension' && !isShadow && !isWithin(node, maxLength)) isSafe = false
  })
  return isSafe
}

/** Of each shadow, the third length blurs it; the others move or enlarge it. */
function hasSafeShadows(value: CssNode): boolean {
  if (value.type !== 'Value') return false
  let shadows = 1
  let lengths = 0
  let isSafe = true
  for (const node of value.children) {
    if (node.type === 'Operator' && node.value === ',') {
      shadows++
      lengths = 0
    }
    if (node.type !== 'Dimension' && node.type !== 'Number') continue
    lengths++
    if (node.type === 'Dimension' && !isWithin(node, lengths === 3 ? maxBlur : maxShadowOffset)) isSafe = false
  }
  return isSafe && shadows <= maxShadows
}

/** Calculations are not allowed, and only color variables are: others could hide a length. */
function isAllowedFunction({ name, children }: Extract<CssNode, { type: 'Function' }>): boolean {
  if (!allowedFunctions.test(name)) return false
  if (name.toLowerCase() !== 'var') return true
  const variable = children.first
  return variable?.type === 'Identifier' && colorTokens.has(variable.name.replace(/^--ik-/, ''))
}

function isWithin({ value, unit }: Extract<CssNode, { type: 'Dimension' }>, maxPixels: number): boolean {
  const [amount, name] = [Math.abs(Number(value)), unit.toLowerCase()]
  const seconds = secondsPerUnit[name]
  if (seconds !== undefined) return amount * seconds <= maxSeconds
  return angles.has(name) || amount * (pixelsPerUnit[name] ?? Number.POSITIVE_INFINITY) <= maxPixels
}

/** A theme that chooses every color, for the names of all tokens. */
function seedsOfDefault(): SchemeColors {
  const { online, offline, body, ...seeds } = defaultPalettes.light
  return { ...seeds, success: online, error: offline, background: body }
}

function removeEmptyRules(tree: CssNode): void {
  walk(tree, {
    leave(node: CssNode, item: ListItem<CssNode>, list: List<CssNode>) {
      const isEmpty = (node.type === 'Rule' || node.type === 'Atrule') && node.block?.children.isEmpty
      if (isEmpty && list) list.remove(item)
    },
  })
}
