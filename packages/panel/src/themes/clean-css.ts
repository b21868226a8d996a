import { type CssNode, generate, type List, type ListItem, parse, walk } from 'css-tree'

/** Properties that can neither move nor cover what is on the page. */
const allowedProperties =
  /^(?:color|accent-color|caret-color|fill|stroke|font-(?:family|style|weight|variant[\w-]*|feature-settings)|letter-spacing|text-(?:transform|decoration[\w-]*|shadow|underline-offset)|background(?:-(?:color|image|size|position|repeat|blend-mode))?|border(?:-(?:top|right|bottom|left|inline(?:-start|-end)?|block(?:-start|-end)?))?(?:-(?:color|style|width))?|border-(?:[\w-]+-)?radius|box-shadow|outline-color|scrollbar-color|transition(?:-[\w-]+)?)$/
const allowedAtRules: ReadonlySet<string> = new Set(['media', 'supports'])
/** Shadows and borders beyond this could cover other controls. */
const maxPixels = 48
const pixelsOf: Readonly<Record<string, number>> = { px: 1, rem: 16, em: 16, pt: 4 / 3 }
const functionsThatLoad = /^(?:image|image-set|-webkit-image-set|cross-fade|element|src|expression|attr|paint)$/i
/** They may be written with one colon. */
const legacyPseudoElements = /^(?:before|after|first-line|first-letter)$/i
const maxListed = 20

interface CleanCss {
  readonly css: string
  /** What was left out, with its line, for the person who uploads the theme. */
  readonly leftOut: readonly string[]
}

/**
 * Reduces the CSS of a theme to what cannot harm: colors, fonts, borders, shadows and backgrounds. Images must be among the
 * `assets` of the theme; nothing may be loaded from elsewhere, positioned, sized, hidden or generated.
 */
export function cleanCss(css: string, assets: readonly string[]): CleanCss {
  const leftOut: string[] = []
  const tree = parse(css, { positions: true, parseCustomProperty: true, onParseError: () => {} })
  walk(tree, {
    enter(node: CssNode, item: ListItem<CssNode>, list: List<CssNode>) {
      const what = problemOf(node, assets)
      if (what === undefined || !list) return
      if (leftOut.length < maxListed) leftOut.push(`${what.slice(0, 60)} (line ${node.loc?.start.line ?? 1})`)
      list.remove(item)
    },
  })
  removeEmptyRules(tree)
  return { css: generate(tree), leftOut }
}

/** What a node is called when it must be left out; `undefined` when it may stay. */
function problemOf(node: CssNode, assets: readonly string[]): string | undefined {
  if (node.type === 'Raw' || node.type === 'CDO' || node.type === 'CDC') return 'unreadable text'
  if (node.type === 'Atrule') return allowedAtRules.has(node.name.toLowerCase()) ? undefined : `@${node.name}`
  if (node.type === 'Rule') return hasPseudoElement(node) ? 'a pseudo-element' : undefined
  if (node.type !== 'Declaration') return undefined
  const name = node.property.toLowerCase()
  return allowedProperties.test(name) && hasSafeValue(node.value, assets) ? undefined : node.property
}

/** `::before` and the like are boxes of their own. */
function hasPseudoElement({ prelude }: Extract<CssNode, { type: 'Rule' }>): boolean {
  let found = false
  walk(prelude, (node) => {
    const isLegacy = node.type === 'PseudoClassSelector' && legacyPseudoElements.test(node.name)
    if (isLegacy || node.type === 'PseudoElementSelector' || node.type === 'Raw') found = true
  })
  return found
}

function hasSafeValue(value: CssNode, assets: readonly string[]): boolean {
  let isSafe = true
  walk(value, (node) => {
    if (node.type === 'Raw') isSafe = false
    if (node.type === 'Url' && !assets.includes(node.value.replace(/^\.\//, ''))) isSafe = false
    if (node.type === 'Function' && functionsThatLoad.test(node.name)) isSafe = false
    if (node.type === 'Dimension') {
      const pixels =
        Math.abs(Number(node.value)) * (pixelsOf[node.unit.toLowerCase()] ?? (isLength(node.unit) ? 1000 : 0))
      if (pixels > maxPixels) isSafe = false
    }
  })
  return isSafe
}

const isLength = (unit: string) => !/^(?:s|ms|deg|rad|grad|turn)$/i.test(unit)

function removeEmptyRules(tree: CssNode): void {
  walk(tree, {
    leave(node: CssNode, item: ListItem<CssNode>, list: List<CssNode>) {
      const isEmpty = (node.type === 'Rule' || node.type === 'Atrule') && node.block?.children.isEmpty
      if (isEmpty && list) list.remove(item)
    },
  })
}
