const files = import.meta.glob<string>(['../../../../../docs/*.md', '../../../../../CHANGELOG.md'], {
  query: '?raw',
  import: 'default',
})
const loaders = new Map(
  Object.entries(files).map(([path, load]) => [path.slice(path.lastIndexOf('/') + 1, -'.md'.length), load]),
)

/** The page that `/docs` shows. */
export const firstPage = 'README'

/** Loads the Markdown of a page in the folder `docs`, or of `CHANGELOG`. Undefined when there is no such page. */
export function loadDocsPage(name: string): Promise<string> | undefined {
  return loaders.get(name)?.()
}

/**
 * Where a link of a page leads inside the app, or to another site. Undefined for files of the repository that the app does
 * not contain.
 */
export function resolveDocsLink(href: string): string | undefined {
  if (/^(https?:|#)/.test(href)) return href
  const [, name = '', fragment = ''] = /^(?:\.\.\/)?([\w-]+)\.md(#[\w-]+)?$/.exec(href) ?? []
  if (!loaders.has(name)) return undefined
  return name === firstPage ? '/docs' : `/docs/${name}${fragment}`
}

/** The id of a heading, as GitHub makes it: `What to copy` is `what-to-copy`. */
export function headingId(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '')
    .replaceAll(' ', '-')
}
