import { type DocsSection, toSections } from './docs-sections.ts'

// With a query of its own, so that all pages together are one file, which only a search loads.
const files = import.meta.glob<string>('../../../../../docs/*.md', {
  query: '?raw&search',
  import: 'default',
  eager: true,
})

/** The sections of all pages of the documentation. */
export const docsSections: readonly DocsSection[] = Object.entries(files).flatMap(([path, markdown]) =>
  toSections(path.slice(path.lastIndexOf('/') + 1, -'.md'.length), markdown),
)
