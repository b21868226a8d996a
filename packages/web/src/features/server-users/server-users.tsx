import { listServerUsers, type ServerUser } from '@innkeeper/contract/accounts/server-users'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { Box, Button, Group, Paper, Stack, Text, Title } from '@mantine/core'
import { IconInfoCircle, IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useCallback, useState } from 'react'
import { Trans } from 'react-i18next'
import { refetchOrThrow, useApiQuery } from '../../api/use-api.ts'
import { SaveNotices } from '../../forms/save-notices.tsx'
import { Shortcut } from '../../hotkeys/shortcut.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { SearchInput } from '../../ui/fields/search-input.tsx'
import { useIsPhone } from '../../ui/layout/page.tsx'
import { ClearFilter } from '../../ui/lists/clear-filter.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { shownPermissions } from '../../ui/names/server-permissions.ts'
import { InviteLinkDialog } from './invite-link-dialog.tsx'
import { PermissionGrid } from './permission-grid.tsx'
import { type PermissionCheck, presets, type UserRow } from './permissions.ts'
import classes from './server-users.module.css'
import { type ServerUsersState, useServerUsers } from './use-server-users.ts'
import { UserListMobile } from './user-list-mobile.tsx'

/** Number of users from which they can be searched. */
const searchFrom = 10

/** Width in pixels from which all columns of the grid fit. */
const gridMinWidth = 1_150

interface ServerUsersProps {
  readonly server: ServerView
  /** Permissions of the signed-in user on the server: only those can be granted. */
  readonly can: PermissionCheck
}

/** Users with access to a server, and their permissions on it. */
export function ServerUsers({ server, can }: ServerUsersProps) {
  const t = useT()
  const list = useApiQuery(listServerUsers, { params: { id: server.id }, query: { self: '' } })
  return (
    <QueryState inCard query={list} errorTitle={t('server-users.LoadFailed')} skeletonHeight="14rem">
      {(users) => <LoadedUsers server={server} can={can} list={users} reload={() => refetchOrThrow(list)} />}
    </QueryState>
  )
}

interface LoadedUsersProps extends ServerUsersProps {
  readonly list: readonly ServerUser[]
  readonly reload: () => Promise<readonly ServerUser[]>
}

function LoadedUsers(props: LoadedUsersProps) {
  const t = useT()
  const [ref, width] = useElementWidth()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const cannotInvite = config.data?.passwordResetEnabled === false
  const state = useServerUsers(props)
  const isEmpty = state.users.length === 0 && !state.newUser.isOpen
  const addButton = (
    <Button leftSection={<IconUserPlus size={17} aria-hidden />} onClick={state.newUser.open}>
      {t('users.Add')}
    </Button>
  )
  return (
    <Stack ref={ref} component="section" aria-label={t('server-users.Title')} p={{ base: 'sm', sm: 0 }} pb="xl">
      <Group gap="sm">
        <Box flex="1 1 20rem">
          <Title order={2}>{t('server-users.Title')}</Title>
          <Text variant="note">{t(cannotInvite ? 'server-users.AboutNoMail' : 'server-users.About')}</Text>
        </Box>
        {!isEmpty && !state.newUser.isOpen && addButton}
      </Group>
      <SaveNotices {...state} />
      {isEmpty ? (
        <Paper>
          <EmptyState icon={IconUsers} title={t('server-users.Empty')} actions={addButton} />
        </Paper>
      ) : (
        <Users server={props.server.name} state={state} width={width} />
      )}
      {state.newUser.link && <InviteLinkDialog link={state.newUser.link} onClose={state.newUser.closeLink} />}
    </Stack>
  )
}

interface UsersProps {
  readonly server: string
  readonly state: ServerUsersState
  /** 0 until it is measured. */
  readonly width: number
}

function Users(props: UsersProps) {
  const t = useT()
  const { state } = props
  const [query, setQuery] = useState('')
  if (state.users.length < searchFrom) return <UserTable {...props} />
  // An unsaved change stays in view.
  const shown = state.users.filter((user) => user.changes > 0 || matches(user, query))
  return (
    <>
      <SearchInput label={t('users.Search')} hotkeyLabel={t('users.Search')} value={query} onChange={setQuery} />
      {shown.length > 0 || state.newUser.isOpen ? (
        <UserTable {...props} state={{ ...state, users: shown }} />
      ) : (
        <Paper>
          <EmptyState
            icon={IconUsers}
            title={t('common.NothingMatches', { query })}
            actions={<ClearFilter onClick={() => setQuery('')} />}
          />
        </Paper>
      )}
    </>
  )
}

function matches({ name, email }: UserRow, query: string): boolean {
  const text = query.trim().toLowerCase()
  return [name, email].some((part) => part.toLowerCase().includes(text))
}

function UserTable({ server, state, width }: UsersProps) {
  const t = useT()
  const { list } = useFormatters()
  const isPhone = useIsPhone()
  if (isPhone || (width > 0 && width < gridMinWidth)) return <UserListMobile state={state} />
  return (
    <>
      <PermissionGrid server={server} state={state} width={width} />
      <Group justify="space-between" gap="sm" c="dimmed" fz="compact">
        <Group gap="xs">
          <IconInfoCircle size={16} aria-hidden />
          <span>
            {t('server-users.PresetsHint', {
              presets: list(presets.map((preset) => t(`server-users.Preset_${preset}`))),
            })}
          </span>
          {!shownPermissions.every(state.canGrant) && <span>{t('common.OnlyOwnPermissions')}</span>}
        </Group>
        <Box component="span" className={classes.keyHints} c="var(--ik-subtle)" fz="xs" aria-hidden>
          <Trans
            i18nKey="server-users.KeyHints"
            components={{ arrows: <Shortcut keys="↑ ↓ ← →" />, space: <Shortcut keys="Space" /> }}
          />
        </Box>
      </Group>
    </>
  )
}

/** The width of an element in pixels, measured before the first paint; 0 without an element. */
function useElementWidth(): [ref: (element: HTMLElement | null) => (() => void) | undefined, width: number] {
  const [width, setWidth] = useState(0)
  const ref = useCallback((element: HTMLElement | null) => {
    if (!element) return undefined
    const measure = () => setWidth(element.clientWidth)
    const observer = new ResizeObserver(measure)
    measure()
    observer.observe(element)
    return () => observer.disconnect()
  }, [])
  return [ref, width]
}
