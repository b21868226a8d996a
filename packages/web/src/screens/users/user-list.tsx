import { listUsers, type UserEntry } from '@innkeeper/contract/accounts/users'
import { limits } from '@innkeeper/contract/text/limits'
import { Avatar, Badge, Box, Divider, Kbd, NavLink, Paper, type PaperProps } from '@mantine/core'
import { useDebouncedCallback } from '@mantine/hooks'
import { IconUsers } from '@tabler/icons-react'
import { keepPreviousData } from '@tanstack/react-query'
import { useRef, useState } from 'react'
import { Link, useMatch, useSearchParams } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { findControls, moveInList, useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import { RowList } from '../../ui/layout/row-list.tsx'
import { ClearFilter } from '../../ui/lists/clear-filter.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import classes from './users-screen.module.css'

/** Delay between the last key press and the request. */
const searchDelayMs = 250

/** All users, with a search by username and email. Query and page are in the URL, so that links and Back work. */
export function UserList({ visibleFrom }: Pick<PaperProps, 'visibleFrom'>) {
  const t = useT()
  const { query, setQuery, urlQuery, page, setPage, search } = useUserSearch()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const users = useApiQuery(
    listUsers,
    {
      query: {
        page,
        limit: limits.pageSize,
        ...(urlQuery === '' ? {} : { username: `*${urlQuery.slice(0, limits.emailMax)}*` }),
      },
    },
    { placeholderData: keepPreviousData },
  )

  const group = t('shell.Users')
  const moveFocus = useArrowFocus({
    move: moveInList,
    root: list,
    getRows: (rows) => findControls(rows, 'li', 'a'),
    hotkeys: { group, labels: { next: t('users.Next'), previous: t('users.Previous') } },
  })
  useHotkeys([{ keys: '/', label: t('users.Search'), group, hiddenInPalette: true, run: () => input.current?.focus() }])

  return (
    <Paper visibleFrom={visibleFrom} w={{ base: '100%', sm: '20rem' }} flex="none" style={{ overflow: 'hidden' }}>
      <Box px="sm" py="sm">
        <SearchInput
          ref={input}
          label={t('users.Search')}
          rightSection={<Kbd visibleFrom="sm">/</Kbd>}
          onEnterList={() => list.current?.querySelector('a')?.focus()}
          value={query}
          onChange={setQuery}
        />
      </Box>
      <Divider />
      <QueryState
        query={users}
        errorTitle={t('users.LoadFailed')}
        isEmpty={(data) => data.users.length === 0}
        empty={
          <EmptyState
            icon={IconUsers}
            title={urlQuery === '' ? t('users.Empty') : t('common.NothingMatches', { query: urlQuery })}
            actions={urlQuery !== '' && <ClearFilter onClick={() => setQuery('')} />}
          />
        }
      >
        {(data) => (
          <RowList ref={list} label={t('shell.Users')} onKeyDown={moveFocus}>
            {data.users.map((user) => (
              <li key={user.id}>
                <UserLink user={user} search={search} />
              </li>
            ))}
          </RowList>
        )}
      </QueryState>
      {users.data && <Pager paging={users.data.paging} onPage={setPage} />}
    </Paper>
  )
}

function UserLink({ user: { id, username, email, access }, search }: { user: UserEntry; search: string }) {
  const t = useT()
  const isActive = useMatch(`/user/${id}`) !== null
  return (
    <NavLink
      component={Link}
      to={{ pathname: `/user/${id}`, search }}
      aria-current={isActive ? 'page' : undefined}
      noWrap
      mih="3.375rem"
      px="md"
      c="var(--ik-text)"
      fw={500}
      classNames={{ root: classes.userLink, description: classes.userEmail }}
      leftSection={<Avatar name={username} aria-hidden />}
      label={<bdi>{username}</bdi>}
      description={<bdi dir="ltr">{email}</bdi>}
      rightSection={
        access === 'admin' ? (
          <Badge bg="var(--ik-primary-soft)" c="var(--ik-link)">
            {t('users.Administrator')}
          </Badge>
        ) : (
          access === 'none' && <Badge>{t('users.NoAccessYet')}</Badge>
        )
      }
    />
  )
}

/** The input shows every key press at once; the URL and the request follow after `searchDelayMs`. */
function useUserSearch() {
  const [params, setParams] = useSearchParams()
  const urlQuery = params.get('q') ?? ''
  const page = Math.max(1, Math.trunc(Number(params.get('page'))) || 1)
  const [query, setQuery] = useState(urlQuery)
  const [lastUrlQuery, setLastUrlQuery] = useState(urlQuery)

  const writeToUrl = useDebouncedCallback(
    (next: string) => setParams(next === '' ? {} : { q: next }, { replace: true, preventScrollReset: true }),
    searchDelayMs,
  )
  // A link or Back changed the URL: the input follows.
  if (urlQuery !== lastUrlQuery) {
    setLastUrlQuery(urlQuery)
    if (!writeToUrl.isPending() && urlQuery !== query.trim()) setQuery(urlQuery)
  }

  return {
    query,
    setQuery: (next: string) => {
      setQuery(next)
      writeToUrl(next.trim())
    },
    /** The query of the current request. */
    urlQuery,
    page,
    setPage: (next: number) =>
      setParams(
        { ...(urlQuery === '' ? {} : { q: urlQuery }), ...(next === 1 ? {} : { page: String(next) }) },
        { replace: true },
      ),
    search: params.size > 0 ? `?${params}` : '',
  }
}
