import { Fragment, type ReactNode } from 'react'
import classes from './variables.module.css'

/**
 * What describes a variable or a group. Templates write simple HTML or markdown; of it links to the web, emphasis, code
 * and line breaks stay, all else is text. HTML is read by an inert parser and never becomes part of the page.
 */
export function Description({ markup }: { markup: string }) {
  if (!/[<&]/.test(markup)) return marked(markup)
  return shown(new DOMParser().parseFromString(markup, 'text/html').body)
}

const silent = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'IFRAME', 'OBJECT', 'SVG', 'MATH'])
const strong = new Set(['B', 'STRONG'])
const emphasised = new Set(['I', 'EM'])
const code = new Set(['CODE', 'KBD', 'SAMP', 'TT'])
/** What stands on lines of its own. */
const blocks = new Set(['P', 'DIV', 'UL', 'OL', 'LI', 'PRE'])

function shown(parent: Node): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: a part is what stands at its place
  return [...parent.childNodes].map((node, index) => <Fragment key={index}>{partFor(node)}</Fragment>)
}

function partFor(node: Node): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return marked(node.textContent ?? '')
  const name = node.nodeName.toUpperCase()
  if (!(node instanceof Element) || silent.has(name)) return null
  if (name === 'BR') return <br />
  if (name === 'A') return <WebLink to={node.getAttribute('href') ?? ''}>{node.textContent}</WebLink>
  if (strong.has(name)) return <strong>{shown(node)}</strong>
  if (emphasised.has(name)) return <em>{shown(node)}</em>
  if (code.has(name)) return <code className={classes.code}>{node.textContent}</code>
  if (!blocks.has(name)) return shown(node)
  return (
    <>
      {node.previousSibling && <br />}
      {name === 'LI' && '• '}
      {shown(node)}
    </>
  )
}

/** The marks of markdown inside a line, and the blank line between two paragraphs. */
const marks =
  /`(?<literal>[^`\n]{1,300})`|\*\*(?<bold>[^*\n]{1,300})\*\*|\[(?<label>[^[\]\n]{1,300})\]\((?<address>[^()\s]{1,500})\)|(?<![\w*])\*(?<star>[^\s*](?:[^*\n]{0,300}[^\s*])?)\*(?![\w*])|(?<!\w)_(?<line>[^\s_](?:[^_\n]{0,300}[^\s_])?)_(?!\w)|\n[^\S\n]*\n\s*/g

function marked(text: string): ReactNode {
  const parts: ReactNode[] = []
  let from = 0
  for (const mark of text.matchAll(marks)) {
    parts.push(text.slice(from, mark.index), <Fragment key={mark.index}>{meantBy(mark)}</Fragment>)
    from = mark.index + mark[0].length
  }
  return from === 0 ? text : [...parts, text.slice(from)]
}

function meantBy({ groups: { literal, bold, label, address, star, line } = {} }: RegExpExecArray): ReactNode {
  if (literal !== undefined) return <code className={classes.code}>{literal}</code>
  if (bold !== undefined) return <strong>{marked(bold)}</strong>
  if (label !== undefined) return <WebLink to={address ?? ''}>{label}</WebLink>
  const emphasis = star ?? line
  if (emphasis !== undefined) return <em>{marked(emphasis)}</em>
  return (
    <>
      <br />
      <br />
    </>
  )
}

/** A link that opens apart; what leads nowhere on the web is only text. */
function WebLink({ to, children }: { to: string; children: ReactNode }) {
  const address = webAddress(to)
  if (!address) return children
  return (
    <a className={classes.link} href={address} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}

function webAddress(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined
  const address = new URL(href)
  return ['http:', 'https:'].includes(address.protocol) ? address.href : undefined
}
