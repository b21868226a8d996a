import { Fragment, type ReactNode } from 'react'

/**
 * The description of a variable. Templates write simple markup; of it only links to the web and line breaks stay, all
 * else is text. The markup is read by an inert parser and never becomes part of the page.
 */
export function Description({ markup }: { markup: string }) {
  if (!/[<&]/.test(markup)) return markup
  return shown(new DOMParser().parseFromString(markup, 'text/html').body)
}

const silent = new Set(['SCRIPT', 'STYLE', 'TEMPLATE', 'NOSCRIPT', 'IFRAME', 'OBJECT', 'SVG', 'MATH'])

function shown(parent: Node): ReactNode {
  return [...parent.childNodes].map((node, index) => {
    const key = index
    if (node.nodeType === Node.TEXT_NODE) return <Fragment key={key}>{node.textContent}</Fragment>
    if (!(node.nodeType === Node.ELEMENT_NODE) || silent.has(node.nodeName.toUpperCase())) return null
    if (node.nodeName === 'BR') return <br key={key} />
    const address = node.nodeName === 'A' ? webAddress((node as Element).getAttribute('href')) : undefined
    return address ? (
      <a key={key} href={address} target="_blank" rel="noreferrer noopener">
        {shown(node)}
      </a>
    ) : (
      <Fragment key={key}>{shown(node)}</Fragment>
    )
  })
}

function webAddress(href: string | null): string | undefined {
  if (href === null || !URL.canParse(href)) return undefined
  const address = new URL(href)
  return ['http:', 'https:'].includes(address.protocol) ? address.href : undefined
}
