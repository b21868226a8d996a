import { Anchor, Box, Code, NavLink, Paper, Text } from '@mantine/core'
import { IconBook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { type ComponentProps, isValidElement, type ReactNode, useEffect, useRef, useState } from 'react'
import { Link, useLocation, useParams } from 'react-router'
import { firstPage, headingId, loadDocsPage, resolveDocsLink } from '../../features/docs/docs-files.ts'
import { searchSections } from '../../features/docs/docs-sections.ts'
import { loadDocsSections } from '../../features/docs/load-docs-sections.ts'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { findControls, moveInList, useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { ClearFilter } from '../../ui/lists/clear-filter.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import Markdown from '../../ui/text/markdown.tsx'
import prose from '../../ui/text/prose.module.css'
import classes from './docs.module.css'

/** A page of the documentation that was built into the app. */
export function DocsScreen() {
  const t = useT()
  const { page = firstPage } = useParams()
  const query = useQuery({
    queryKey: ['docs', page],
    queryFn: async () => (await loadDocsPage(page)) ?? null,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const { title, body } = splitTitle(query.data ?? '')
  const [text, setText] = useState('')
  const results = useRef<HTMLDivElement>(null)
  const { key } = useLocation()
  const [lastKey, setLastKey] = useState(key)
  // A link of the results was opened.
  if (key !== lastKey) {
    setLastKey(key)
    setText('')
  }

  return (
    <Page type="form">
      <PageHeader title={title ?? t('docs.Title')} />
      <SearchInput
        label={t('docs.Search')}
        hotkeyLabel={t('docs.Search')}
        value={text}
        onChange={setText}
        onEnterList={() => results.current?.querySelector('a')?.focus()}
      />
      <Paper ref={results}>
        {text.trim() !== '' ? (
          <DocsResults query={text.trim()} onClear={() => setText('')} />
        ) : (
          <QueryState
            query={query}
            errorTitle={t('docs.LoadFailed')}
            skeletonHeight={400}
            isEmpty={(markdown) => markdown === null}
            empty={<NoPage />}
          >
            {() => <DocsText key={page} markdown={body} />}
          </QueryState>
        )}
      </Paper>
    </Page>
  )
}

function splitTitle(markdown: string): { readonly title?: string | undefined; readonly body: string } {
  const [, title, body] = /^# ([^\n]+)\n(.*)$/s.exec(markdown) ?? []
  return { title, body: body ?? markdown }
}

function DocsText({ markdown }: { markdown: string }) {
  const { hash } = useLocation()
  useEffect(() => {
    if (hash) document.getElementById(hash.slice(1))?.scrollIntoView({ block: 'start' })
  }, [hash])
  return (
    <Box className={`${prose.prose} ${classes.text}`} pt="md" px="lg" pb="xl" lh="1.5rem" lang="en" dir="ltr">
      <Markdown components={components}>{markdown}</Markdown>
    </Box>
  )
}

const components: ComponentProps<typeof Markdown>['components'] = {
  a: ({ href = '', children }) => <DocsAnchor href={href}>{children}</DocsAnchor>,
  h2: ({ children }) => <h2 id={headingId(getText(children))}>{children}</h2>,
  h3: ({ children }) => <h3 id={headingId(getText(children))}>{children}</h3>,
  code: ({ children }) => <Code>{children}</Code>,
}

/** The text of a heading, also of code in it. */
function getText(node: ReactNode): string {
  if (Array.isArray(node)) return node.map(getText).join('')
  if (isValidElement<{ children?: ReactNode }>(node)) return getText(node.props.children)
  return typeof node === 'string' || typeof node === 'number' ? String(node) : ''
}

function DocsAnchor({ href, children }: { href: string; children: ReactNode }) {
  const target = resolveDocsLink(href)
  if (target === undefined)
    return (
      <Text span inherit>
        {children}
      </Text>
    )
  if (/^https?:/.test(target)) {
    return (
      <Anchor href={target} target="_blank" rel="noreferrer noopener" inherit>
        {children}
      </Anchor>
    )
  }
  return (
    <Anchor component={Link} to={target} inherit>
      {children}
    </Anchor>
  )
}

function NoPage() {
  const t = useT()
  return (
    <EmptyState icon={IconBook} title={t('not-found.Title')} link={{ to: '/docs', label: t('docs.ToFirstPage') }} />
  )
}

/** The sections of the documentation that have the words of a query. */
function DocsResults({ query: text, onClear }: { query: string; onClear: () => void }) {
  const t = useT()
  const query = useQuery(loadDocsSections)
  const list = useRef<HTMLUListElement>(null)
  const moveFocus = useArrowFocus({
    move: moveInList,
    root: list,
    getRows: (rows) => findControls(rows, 'li', 'a'),
  })
  const found = searchSections(query.data ?? [], text)
  return (
    <QueryState
      query={query}
      errorTitle={t('docs.LoadFailed')}
      skeletonHeight={400}
      isEmpty={() => found.length === 0}
      empty={
        <EmptyState
          icon={IconBook}
          title={t('common.NothingMatches', { query: text })}
          actions={<ClearFilter onClick={onClear} />}
        />
      }
    >
      {() => (
        <RowList ref={list} label={t('palette.Results')} onKeyDown={moveFocus}>
          {found.map(({ path, page, heading, excerpt }) => (
            <li key={path} lang="en" dir="ltr">
              <NavLink
                component={Link}
                to={path}
                label={heading}
                description={heading === page ? excerpt : `${page} \u00b7 ${excerpt}`}
                c="var(--ik-text)"
                fw={500}
                px="md"
              />
            </li>
          ))}
        </RowList>
      )}
    </QueryState>
  )
}
