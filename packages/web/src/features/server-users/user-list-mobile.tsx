import {
  ActionIcon,
  Badge,
  Box,
  Button,
  Divider,
  Group,
  Modal,
  NavLink,
  Paper,
  Text,
  TextInput,
  Title,
} from '@mantine/core'
import { IconArrowLeft, IconChevronRight, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { Failure } from '../../forms/use-save.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { PermissionSwitch } from '../../ui/permission-switch.tsx'
import { RowList } from '../../ui/row-list.tsx'
import {
  applyPreset,
  findPreset,
  type PermissionCheck,
  type PermissionsProps,
  permissionGroups,
  presets,
  setFlag,
} from './permissions.ts'
import type { NewUserState } from './use-new-user.ts'
import type { ServerUsersState, UserRow } from './use-server-users.ts'
import { UserIdentity } from './user-identity.tsx'
import classes from './user-list-mobile.module.css'

/** Replaces the grid on narrow screens: a list of users, and one user at a time. */
export function UserListMobile({ state }: { state: ServerUsersState }) {
  const t = useT()
  const { users, newUser } = state
  const [selectedEmail, setSelectedEmail] = useState<string>()
  const selected = users.find(({ email }) => email === selectedEmail)

  return (
    <>
      <Paper>
        <RowList>
          {users.map((user) => (
            <li key={user.email}>
              <NavLink
                component="button"
                type="button"
                mih="3.5rem"
                label={<UserIdentity user={user} />}
                rightSection={
                  <Group gap="xs" wrap="nowrap">
                    <Badge>{getSummary(t, user)}</Badge>
                    <IconChevronRight size={18} color="var(--ik-subtle)" aria-hidden data-flip />
                  </Group>
                }
                onClick={() => setSelectedEmail(user.email)}
              />
            </li>
          ))}
        </RowList>
      </Paper>
      {selected && <UserView user={selected} state={state} onClose={() => setSelectedEmail(undefined)} />}
      {newUser.isOpen && <NewUserView newUser={newUser} canGrant={state.canGrant} />}
    </>
  )
}

function getSummary(t: TFunction, { changes, isSelf, flags }: UserRow): string {
  if (changes > 0) return t('server-users.Changes', { count: changes })
  if (isSelf) return t('server-users.You')
  const preset = findPreset(flags)
  return preset ? t(`server-users.Preset_${preset}`) : t('common.PermissionCount', { count: flags.size })
}

function UserView({ user, state, onClose }: { user: UserRow; state: ServerUsersState; onClose: () => void }) {
  const t = useT()
  const confirm = useConfirm()
  const { name, changes, isSaving } = user

  const remove = async () => {
    if (user.isSelf) return state.removeSelf(user)
    const isConfirmed = await confirm({
      title: t('server-users.Remove'),
      body: t('server-users.RemoveQuestion', { name }),
      action: t('server-users.Remove'),
    })
    if (isConfirmed) await state.remove(user)
  }
  return (
    <FullScreenView
      onClose={onClose}
      title={<UserIdentity user={user} />}
      failure={state.form.failure}
      action={
        <ActionIcon
          size={44}
          c="var(--ik-offline)"
          aria-label={t('common.RemoveNamed', { name })}
          onClick={() => void remove()}
        >
          <IconTrash size={21} aria-hidden />
        </ActionIcon>
      }
      footer={
        changes > 0 && (
          <>
            <Text variant="note" flex={1} role="status">
              {t('server-users.Changes', { count: changes })}
            </Text>
            <Button variant="subtle" onClick={() => state.undo(user)} disabled={isSaving}>
              {t('common.Undo')}
            </Button>
            <Button onClick={() => void state.save(user)} loading={isSaving}>
              {t('server-users.Update')}
            </Button>
          </>
        )
      }
    >
      <Box ref={state.form.root}>
        <Permissions {...user} onChange={(flags) => state.setFlags(user, flags)} />
      </Box>
    </FullScreenView>
  )
}

interface NewUserViewProps {
  readonly newUser: NewUserState
  readonly canGrant: PermissionCheck
}

function NewUserView({ newUser, canGrant }: NewUserViewProps) {
  const t = useT()
  const { form, flags, setFlags, close } = newUser
  const { isSaving, failure } = form
  return (
    <FullScreenView
      onClose={close}
      title={t('users.Add')}
      failure={failure}
      footer={
        <>
          <Text variant="note" flex={1}>
            {t('common.PermissionCount', { count: flags.size })}
          </Text>
          <Button variant="subtle" onClick={close} disabled={isSaving}>
            {t('common.Cancel')}
          </Button>
          <Button onClick={() => void form.save()} loading={isSaving}>
            {t('common.Save')}
          </Button>
        </>
      }
    >
      <Box ref={form.root} px="md" pt="md">
        <TextInput
          data-autofocus
          type="email"
          label={t('common.Email')}
          autoComplete="off"
          dir="ltr"
          {...form.field('email')}
        />
      </Box>
      <Permissions flags={flags} canGrant={canGrant} onChange={setFlags} />
    </FullScreenView>
  )
}

interface FullScreenViewProps {
  readonly title: ReactNode
  readonly action?: ReactNode
  readonly footer: ReactNode
  /** Why the last save failed. */
  readonly failure: Failure | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Fills the screen of a phone; a dialog elsewhere. */
function FullScreenView({ title, action, footer, failure, onClose, children }: FullScreenViewProps) {
  const t = useT()
  return (
    <Modal.Root
      opened
      centered
      variant="phone-full-screen"
      size={560}
      onClose={onClose}
      transitionProps={{ duration: 0 }}
    >
      <Modal.Overlay color="var(--ik-scrim)" backgroundOpacity={1} />
      {/* A `className` would also style the element around it, which centers the dialog. */}
      <Modal.Content radius="xl" classNames={{ content: classes.view }}>
        <Group gap="2xs" wrap="nowrap" mih="3.5rem" px="xs" bg="var(--ik-surface)">
          <ActionIcon size={44} aria-label={t('server-users.BackToList')} onClick={onClose}>
            <IconArrowLeft size={22} aria-hidden data-flip />
          </ActionIcon>
          <Modal.Title flex={1} miw={0}>
            {title}
          </Modal.Title>
          {action}
        </Group>
        <Divider />
        <Box className={classes.body} flex={1} mih={0} pb="xl">
          {failure && <ErrorAlert {...failure} />}
          {children}
        </Box>
        {footer && (
          <>
            <Divider />
            <Group
              gap="xs"
              px="md"
              pt="sm"
              pb="max(var(--mantine-spacing-sm), env(safe-area-inset-bottom))"
              bg="var(--ik-surface)"
            >
              {footer}
            </Group>
          </>
        )}
      </Modal.Content>
    </Modal.Root>
  )
}

function Permissions({ flags, saved = flags, canGrant, onChange }: PermissionsProps) {
  const t = useT()
  const current = findPreset(flags)
  return (
    <>
      <GroupTitle>{t('server-users.Preset')}</GroupTitle>
      <Group
        role="group"
        aria-label={t('server-users.Preset')}
        wrap="nowrap"
        gap="xs"
        px="md"
        pt="3xs"
        pb="xs"
        style={{ overflowX: 'auto' }}
      >
        {presets.map((preset) => (
          <Button
            key={preset}
            flex="none"
            radius="xl"
            px="sm"
            fz="compact"
            variant={preset === current ? 'light' : 'default'}
            aria-pressed={preset === current}
            onClick={() => onChange(applyPreset(flags, preset, canGrant))}
          >
            {t(`server-users.Preset_${preset}`)}
          </Button>
        ))}
      </Group>
      {permissionGroups.map(({ name: group, permissions }) => (
        <section key={group} aria-label={t(group)}>
          <GroupTitle>{t(group)}</GroupTitle>
          <Divider />
          {permissions.map(({ flag, name }) => {
            const canChange = flags.has(flag) || canGrant(flag)
            return (
              <Box key={flag} bg="var(--ik-surface)">
                <Box px="md" py="xs">
                  <PermissionSwitch
                    size="md"
                    label={t(name)}
                    isChanged={flags.has(flag) !== saved.has(flag)}
                    disabled={!canChange}
                    description={canChange ? undefined : t('common.OnlyOwnPermissions')}
                    checked={flags.has(flag)}
                    onChange={(isOn) => onChange(setFlag(flags, flag, isOn, canGrant))}
                  />
                </Box>
                <Divider />
              </Box>
            )
          })}
        </section>
      ))}
    </>
  )
}

function GroupTitle({ children }: { children: ReactNode }) {
  return (
    <Title order={3} fz="compact" c="dimmed" px="md" pt="sm" pb="xs">
      {children}
    </Title>
  )
}
