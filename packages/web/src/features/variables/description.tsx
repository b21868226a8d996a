import { Fragment, type ReactNode } from 'react'
import classes from './variables.module.css'

/**
 * The description of a variable or group, in simple HTML or Markdown. Web links, emphasis, code and line breaks are
 * rendered; everything else is text. HTML is parsed into an inert document and never inserted into the page.
 */
export function Description({ markup }: { markup: string }) {
  if (!/[<&]/.test(markup)) return renderMarkdown(markup)
  return renderChildren(new DOMParser().parseFromString(markup, 'text/html').body)
}

const ignored = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'IFRAME', 'OBJECT', 'SVG', 'MATH'])
const strong = new Set(['B', 'STRONG'])
const emphasized = new Set(['I', 'EM'])
const code = new Set(['CODE', 'KBD', 'SAMP', 'TT'])
/** Elements that start on a new line. */
const blocks = new Set(['P', 'DIV', 'UL', 'OL', 'LI', 'PRE'])

function renderChildren(parent: Node): ReactNode {
  // biome-ignore lint/suspicious/noArrayIndexKey: nodes are identified by their position
  return [...parent.childNodes].map((node, index) => <Fragment key={index}>{renderNode(node)}</Fragment>)
}

function renderNode(node: Node): ReactNode {
  if (node.nodeType === Node.TEXT_NODE) return renderMarkdown(node.textContent ?? '')
  const name = node.nodeName.toUpperCase()
  if (!(node instanceof Element) || ignored.has(name)) return null
  if (name === 'BR') return <br />
  if (name === 'A') return <WebLink href={node.getAttribute('href') ?? ''}>{node.textContent}</WebLink>
  if (strong.has(name)) return <strong>{renderChildren(node)}</strong>
  if (emphasized.has(name)) return <em>{renderChildren(node)}</em>
  if (code.has(name)) return <code className={classes.code}>{node.textContent}</code>
  if (!blocks.has(name)) return renderChildren(node)
  return (
    <>
      {node.previousSibling && <br />}
      {name === 'LI' && '• '}
      {renderChildren(node)}
    </>
  )
}

/** Inline Markdown, and the blank line between two paragraphs. */
const marks =
  /`(?<literal>[^`\n]{1,300})`|\*\*(?<bold>[^*\n]{1,300})\*\*|\[(?<label>[^[\]\n]{1,300})\]\((?<address>[^()\s]{1,500})\)|(?<![\w*])\*(?<star>[^\s*](?:[^*\n]{0,300}[^\s*])?)\*(?![\w*])|(?<!\w)_(?<line>[^\s_](?:[^_\n]{0,300}[^\s_])?)_(?!\w)|\n[^\S\n]*\n\s*/g

function renderMarkdown(text: string): ReactNode {
  const parts: ReactNode[] = []
  let from = 0
  for (const mark of text.matchAll(marks)) {
    parts.push(text.slice(from, mark.index), <Fragment key={mark.index}>{renderMark(mark)}</Fragment>)
    from = mark.index + mark[0].length
  }
  return from === 0 ? text : [...parts, text.slice(from)]
}

function renderMark({ groups: { literal, bold, label, address, star, line } = {} }: RegExpExecArray): ReactNode {
  if (literal !== undefined) return <code className={classes.code}>{literal}</code>
  if (bold !== undefined) return <strong>{renderMarkdown(bold)}</strong>
  if (label !== undefined) return <WebLink href={address ?? ''}>{label}</WebLink>
  const emphasis = star ?? line
  if (emphasis !== undefined) return <em>{renderMarkdown(emphasis)}</em>
  return (
    <>
      <br />
      <br />
    </>
  )
}

/** A link in a new tab; only its text unless it is an http(s) URL. */
function WebLink({ href, children }: { href: string; children: ReactNode }) {
  const url = toWebUrl(href)
  if (!url) return children
  return (
    <a className={classes.link} href={url} target="_blank" rel="noreferrer noopener">
      {children}
    </a>
  )
}

function toWebUrl(href: string): string | undefined {
  if (!URL.canParse(href)) return undefined
  const url = new URL(href)
  return ['http:', 'https:'].includes(url.protocol) ? url.href : undefined
}
