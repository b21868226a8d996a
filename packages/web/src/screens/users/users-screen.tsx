import { Button, Paper } from '@mantine/core'
import { IconUserPlus, IconUsers } from '@tabler/icons-react'
import { createContext, use, useEffect, useState } from 'react'
import { Link, Outlet, useLocation, useNavigate } from 'react-router'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page, PageHeader, useIsPhone } from '../../ui/page.tsx'
import { UserList } from './user-list.tsx'
import classes from './users-screen.module.css'

/** Tells the frame whom the page is about. */
const TitleContext = createContext<(title: string | undefined) => void>(() => undefined)

/** Names the window after the person in view. */
export function useUserTitle(title: string | undefined): void {
  const setTitle = use(TitleContext)
  useEffect(() => {
    setTitle(title)
    return () => setTitle(undefined)
  }, [title, setTitle])
}

/** Everybody with an account: a list, and beside it the person who was chosen. A phone shows one of the two. */
export function UsersScreen() {
  const t = useT()
  const isPhone = useIsPhone()
  const goTo = useNavigate()
  const { pathname } = useLocation()
  const mayEdit = useCan('users.edit')
  const [title, setTitle] = useState<string>()
  const isList = pathname === '/user'
  const isAdding = pathname === '/adduser'
  useHotkeys([
    {
      label: t('users.Add'),
      group: t('hotkeys.GoTo'),
      icon: <IconUserPlus size={18} aria-hidden />,
      enabled: mayEdit,
      run: () => void goTo('/adduser'),
    },
  ])

  return (
    <Page>
      <PageHeader
        title={t('users.Title')}
        documentTitle={isAdding ? t('users.Add') : title}
        actions={
          mayEdit &&
          (isPhone ? isList : !isAdding) && (
            <Button component={Link} to="/adduser" leftSection={<IconUserPlus size={17} aria-hidden />}>
              {t('users.Add')}
            </Button>
          )
        }
      />
      <div className={classes.users}>
        {(!isPhone || isList) && <UserList />}
        {(!isPhone || !isList) && (
          <TitleContext value={setTitle}>
            <div className={classes.detail}>
              <Outlet />
            </div>
          </TitleContext>
        )}
      </div>
    </Page>
  )
}

/** Beside the list while nobody is chosen. */
export function NobodyChosen() {
  const t = useT()
  return (
    <Paper>
      <EmptyState icon={<IconUsers size={24} aria-hidden />} title={t('users.ChooseSomeone')}>
        {t('users.ChooseSomeoneWhy')}
      </EmptyState>
    </Paper>
  )
}
