import { NavLink } from '@mantine/core'
import { IconBook } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { Link } from 'react-router'
import { searchSections } from '../../features/docs/docs-sections.ts'
import { loadDocsSections } from '../../features/docs/load-docs-sections.ts'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { findControls, moveInList, useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import { RowList } from '../../ui/layout/row-list.tsx'
import { ClearFilter } from '../../ui/lists/clear-filter.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

/** The sections of the documentation that have the words of a query. */
export function DocsResults({ query: text, onClear }: { query: string; onClear: () => void }) {
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
