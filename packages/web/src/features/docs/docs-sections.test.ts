import { expect, test } from 'vitest'
import { headingId, loadDocsPage } from './docs-files.ts'
import { docsSections } from './docs-search.ts'
import { searchSections, toSections } from './docs-sections.ts'

const page = `# Backups of servers

Incremental and [encrypted](backup.md).

## Restore \`one\` file

Choose **Files**.

\`\`\`sh
# no heading
\`\`\`

### Details

Rare words.
`

test('a page is split at its headings, and code is no heading', () => {
  const sections = toSections('backups', page)

  expect(sections.map(({ path, heading }) => [path, heading])).toEqual([
    ['/docs/backups', 'Backups of servers'],
    ['/docs/backups#restore-one-file', 'Restore one file'],
    ['/docs/backups#details', 'Details'],
  ])
  expect(sections[0]?.text).toContain('Incremental and encrypted.')
})

test('a section needs all words, and those in headings come first', () => {
  const sections = toSections('backups', page)

  expect(searchSections(sections, 'restore').map(({ heading }) => heading)).toEqual(['Restore one file'])
  expect(searchSections(sections, 'backups FILES').map(({ heading }) => heading)).toEqual(['Restore one file'])
  expect(searchSections(sections, 'backups nothing')).toEqual([])
  expect(searchSections(sections, ' ')).toEqual([])
})

test('what is found in the documentation leads to a heading of it', async () => {
  const found = searchSections(docsSections, 'retention')

  expect(found.length).toBeGreaterThan(0)
  for (const { path } of found) {
    const [name = '', anchor] = path.slice('/docs/'.length).split('#')
    const markdown = (await loadDocsPage(name || 'README')) ?? ''
    const ids = [...markdown.matchAll(/^#+ (.*)$/gm)].map(([, text = '']) => headingId(text.replaceAll('`', '')))
    if (anchor !== undefined) expect(ids).toContain(anchor)
  }
})
