import { limits } from '@innkeeper/contract/limits'
import { listUsers, type UserEntry } from '@innkeeper/contract/users'
import { Badge, Kbd, Paper, Skeleton, TextInput } from '@mantine/core'
import { IconSearch, IconUsers } from '@tabler/icons-react'
import { keepPreviousData } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useRef, useState } from 'react'
import { NavLink, useSearchParams } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './users-screen.module.css'

/** How long the typing rests before the panel is asked. */
const typingRestsMs = 250

/** People by name, found by a part of it. Search and page are in the address, so that links and Back work. */
export function UserList() {
  const t = useT()
  const isPhone = useIsPhone()
  const { sought, asked, page, seek, turnTo, search } = useSearch()
  const input = useRef<HTMLInputElement>(null)
  const list = useRef<HTMLUListElement>(null)
  const users = useApiQuery(
    listUsers,
    { query: { page, limit: limits.pageSize, ...(asked === '' ? {} : { username: `*${asked}*` }) } },
    { placeholderData: keepPreviousData },
  )
  const isLate = useDelayed(users.isPending)

  const move = (step: number) => {
    const links: Element[] = [...(list.current?.querySelectorAll('a') ?? [])]
    const at = document.activeElement ? links.indexOf(document.activeElement) : -1
    const next = links[at === -1 ? 0 : Math.min(Math.max(at + step, 0), links.length - 1)]
    if (next instanceof HTMLElement) next.focus()
  }
  const pressInList = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step === undefined) return
    event.preventDefault()
    move(step)
  }
  const group = t('users.List')
  useHotkeys([
    { keys: '/', label: t('users.Search'), group, hiddenInPalette: true, run: () => input.current?.focus() },
    { keys: 'j', label: t('users.Next'), group, hiddenInPalette: true, run: () => move(1) },
    { keys: 'k', label: t('users.Previous'), group, hiddenInPalette: true, run: () => move(-1) },
  ])

  return (
    <Paper className={classes.list ?? ''}>
      <div className={classes.search}>
        <TextInput
          ref={input}
          className="ik-soft"
          type="search"
          aria-label={t('users.Search')}
          placeholder={t('users.Search')}
          leftSection={<IconSearch size={15} aria-hidden />}
          rightSection={isPhone ? undefined : <Kbd>/</Kbd>}
          value={sought}
          onChange={(event) => seek(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Escape') seek('')
          }}
        />
      </div>
      {users.isError && !users.data ? (
        <QueryError title={t('users.LoadFailed')} error={users.error} retry={() => void users.refetch()} />
      ) : users.isPending ? (
        isLate && <Skeleton h={53} aria-label={t('common.Loading')} />
      ) : users.data.users.length === 0 ? (
        <EmptyState
          icon={<IconUsers size={24} aria-hidden />}
          title={asked === '' ? t('users.Empty') : t('users.NothingMatches', { sought: asked })}
        />
      ) : (
        <ul ref={list} className={classes.people} aria-label={t('users.Title')} onKeyDown={pressInList}>
          {users.data.users.map((user) => (
            <li key={user.id}>
              <NavLink to={{ pathname: `/user/${user.id}`, search }} className={classes.person ?? ''}>
                <Avatar name={user.username} />
                <span className={classes.names}>
                  <bdi>{user.username}</bdi>
                  <small dir="ltr">{user.email}</small>
                </span>
                <Access of={user} />
              </NavLink>
            </li>
          ))}
        </ul>
      )}
      {users.data && <Pager paging={users.data.paging} onPage={turnTo} />}
    </Paper>
  )
}

function Access({ of: { access } }: { of: UserEntry }) {
  const t = useT()
  if (access === 'admin') return <Badge>{t('users.Admin')}</Badge>
  if (access === 'none') return <Badge>{t('users.NoAccessYet')}</Badge>
  return null
}

/** What is typed shows at once; the panel and the address follow when the typing rests. */
function useSearch() {
  const [params, setParams] = useSearchParams()
  const asked = params.get('q') ?? ''
  const page = Math.max(1, Math.trunc(Number(params.get('page'))) || 1)
  const [sought, setSought] = useState(asked)

  useEffect(() => {
    const wanted = sought.trim()
    if (wanted === asked) return
    const timer = window.setTimeout(
      () => setParams(wanted === '' ? {} : { q: wanted }, { replace: true, preventScrollReset: true }),
      typingRestsMs,
    )
    return () => window.clearTimeout(timer)
  }, [sought, asked, setParams])

  const turnTo = (next: number) =>
    setParams(
      { ...(asked === '' ? {} : { q: asked }), ...(next === 1 ? {} : { page: String(next) }) },
      { replace: true },
    )
  return { sought, asked, page, seek: setSought, turnTo, search: params.size > 0 ? `?${params}` : '' }
}
