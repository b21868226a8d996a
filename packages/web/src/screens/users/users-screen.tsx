import { getUser } from '@innkeeper/contract/accounts/users'
import { Button, Flex, Group, Paper, Stack } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { Link, Outlet, useMatch, useNavigate } from 'react-router'
import { useVersionedApiQuery } from '../../api/use-api.ts'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { UserList } from './user-list.tsx'

/** All users: the list, and beside it the selected user. A phone shows one of the two. */
export function UsersScreen() {
  const t = useT()
  const navigate = useNavigate()
  const canEdit = useCan('users.edit')
  const canView = useCan('users.view')
  const isAdmin = useCan('servers.admin')
  const isList = useMatch('/user') !== null
  const isAdding = useMatch('/adduser') !== null
  const username = useSelectedUsername(canView)
  const title = useMatch('/user/roles') ? t('users.Roles') : username
  useHotkeys([
    {
      id: 'add-user',
      label: t('users.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconUserPlus size={18} aria-hidden />,
      enabled: canEdit,
      run: () => void navigate('/adduser'),
    },
  ])

  return (
    <Page>
      <PageHeader
        title={t('shell.Users')}
        documentTitle={isAdding ? t('users.Add') : title}
        actions={
          canEdit &&
          !isAdding && (
            <Group gap="xs">
              {isAdmin && (
                <Button component={Link} to="/user/roles" variant="default">
                  {t('users.Roles')}
                </Button>
              )}
              <Button component={Link} to="/adduser" leftSection={<IconUserPlus size={17} aria-hidden />}>
                {t('users.Add')}
              </Button>
            </Group>
          )
        }
        phoneActions={isList ? undefined : null}
      />
      {canView || isAdding ? (
        <Flex gap="md" align="flex-start">
          <UserList visibleFrom={isList ? undefined : 'sm'} />
          <Stack flex={1} miw={0} visibleFrom={isList ? 'sm' : undefined}>
            <Outlet />
          </Stack>
        </Flex>
      ) : (
        <NoPermission scope="users.view" />
      )}
    </Page>
  )
}

/** The user in the URL; `UserScreen` runs the same query. */
function useSelectedUsername(canView: boolean): string | undefined {
  const id = useSelectedId()
  const user = useVersionedApiQuery(getUser, { params: { id: id ?? '' } }, { enabled: canView && id !== undefined })
  return id === undefined ? undefined : user.data?.response.username
}

/** The ID of the user in the URL. */
function useSelectedId(): string | undefined {
  const id = useMatch('/user/:id')?.params.id
  return id === 'roles' ? undefined : id
}

/** Shown beside the list while no user is selected. */
export function NoUserSelected() {
  const t = useT()
  return (
    <Paper>
      <EmptyState icon={IconUsers} title={t('users.Select')}>
        {t('users.SelectHint')}
      </EmptyState>
    </Paper>
  )
}
