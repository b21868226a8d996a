import { Badge, Box, Button, Group, Modal, NavLink, Paper, TextInput, Title, VisuallyHidden } from '@mantine/core'
import { IconChevronRight, IconClock, IconLink, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import type { Failure } from '../../forms/use-save.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { PermissionSwitch } from '../../ui/fields/permission-switch.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { permissionGroups } from '../../ui/names/server-permissions.ts'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { DialogFooter } from '../../ui/overlays/dialog-footer.tsx'
import { EmailPicker } from './email-picker.tsx'
import { EndDialog } from './end-dialog.tsx'
import {
  applyPreset,
  findPreset,
  type PermissionCheck,
  type PermissionsProps,
  presets,
  setPermission,
  type UserRow,
} from './permissions.ts'
import type { NewUserState } from './use-new-user.ts'
import type { ServerUsersState } from './use-server-users.ts'
import { UserIdentity } from './user-identity.tsx'

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

function getSummary(t: TFunction, { changes, isSelf, permissions }: UserRow): string {
  if (changes > 0) return t('server-users.Changes', { count: changes })
  if (isSelf) return t('server-users.You')
  const preset = findPreset(permissions)
  return preset ? t(`server-users.Preset_${preset}`) : t('common.PermissionCount', { count: permissions.size })
}

function UserView({ user, state, onClose }: { user: UserRow; state: ServerUsersState; onClose: () => void }) {
  const t = useT()
  const confirm = useConfirm()
  const [isEnding, setIsEnding] = useState(false)
  const { name, changes, isSaving } = user

  const remove = () =>
    confirm({
      title: t('server-users.Remove'),
      body: t('server-users.RemoveQuestion', { name }),
      action: t('server-users.Remove'),
      onConfirm: () => state.remove(user),
    })
  return (
    <UserDialog
      onClose={onClose}
      title={<UserIdentity user={user} />}
      failure={state.form.failure}
      footer={
        <>
          <Button
            variant="subtle"
            px="xs"
            me="auto"
            c="var(--ik-offline)"
            leftSection={<IconTrash size={17} aria-hidden />}
            aria-label={t('common.RemoveNamed', { name })}
            onClick={() => void (user.isSelf ? state.removeSelf(user) : remove())}
          >
            {t('common.Remove')}
          </Button>
          {changes === 0 && (
            <Button
              variant="default"
              leftSection={<IconClock size={17} aria-hidden />}
              onClick={() => setIsEnding(true)}
            >
              {t('server-users.End')}
            </Button>
          )}
          {changes > 0 && (
            <>
              <VisuallyHidden role="status">{t('server-users.Changes', { count: changes })}</VisuallyHidden>
              <Button variant="subtle" onClick={() => state.undo(user)} disabled={isSaving}>
                {t('common.Undo')}
              </Button>
              <Button onClick={() => void state.save(user)} loading={isSaving}>
                {t('server-users.Update')}
              </Button>
            </>
          )}
        </>
      }
    >
      <Box ref={state.form.root}>
        <Permissions {...user} onChange={(permissions) => state.setPermissions(user, permissions)} />
      </Box>
      {isEnding && <EndDialog user={user} setEnd={state.setEnd} onClose={() => setIsEnding(false)} />}
    </UserDialog>
  )
}

interface NewUserViewProps {
  readonly newUser: NewUserState
  readonly canGrant: PermissionCheck
}

function NewUserView({ newUser, canGrant }: NewUserViewProps) {
  const t = useT()
  const { form, permissions, setPermissions, close } = newUser
  const { isSaving, failure } = form
  return (
    <UserDialog
      onClose={close}
      title={t('users.Add')}
      failure={failure}
      footer={
        <>
          <Button
            variant="default"
            me="auto"
            disabled={isSaving}
            leftSection={<IconLink size={17} aria-hidden />}
            onClick={() => void newUser.createLink()}
          >
            {t('server-users.CreateLink')}
          </Button>
          <Button variant="subtle" onClick={close} disabled={isSaving}>
            {t('common.Cancel')}
          </Button>
          <Button onClick={() => void form.save()} loading={isSaving}>
            {t('common.Save')}
          </Button>
        </>
      }
    >
      <Box ref={form.root}>
        <EmailPicker data-autofocus label={t('common.Email')} {...form.field('email')} />
        <TextInput
          {...form.field('until')}
          mt="sm"
          type="datetime-local"
          label={t('server-users.EndsAt')}
          description={t('server-users.EndHelp')}
        />
      </Box>
      <Permissions permissions={permissions} canGrant={canGrant} onChange={setPermissions} />
    </UserDialog>
  )
}

interface UserDialogProps {
  readonly title: ReactNode
  readonly footer: ReactNode
  /** Why the last save failed. */
  readonly failure: Failure | undefined
  readonly onClose: () => void
  readonly children: ReactNode
}

/** Fills the screen of a phone. Its footer stays in view. */
function UserDialog({ title, footer, failure, onClose, children }: UserDialogProps) {
  return (
    <Modal
      opened
      onClose={onClose}
      title={title}
      variant="phone-full-screen"
      size={560}
      transitionProps={{ duration: 0 }}
    >
      {failure && <ErrorAlert {...failure} />}
      {children}
      <DialogFooter>{footer}</DialogFooter>
    </Modal>
  )
}

function Permissions({ permissions: granted, saved = granted, canGrant, onChange }: PermissionsProps) {
  const t = useT()
  const current = findPreset(granted)
  return (
    <>
      <GroupTitle>{t('server-users.Preset')}</GroupTitle>
      <Group
        role="group"
        aria-label={t('server-users.Preset')}
        wrap="nowrap"
        gap="xs"
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
            onClick={() => onChange(applyPreset(granted, preset, canGrant))}
          >
            {t(`server-users.Preset_${preset}`)}
          </Button>
        ))}
      </Group>
      {permissionGroups.map(({ name: group, permissions }) => (
        <section key={group}>
          <GroupTitle>{t(group)}</GroupTitle>
          <RowList label={t(group)}>
            {permissions.map(({ permission, name }) => {
              const canChange = granted.has(permission) || canGrant(permission)
              return (
                <Box component="li" key={permission} py="xs">
                  <PermissionSwitch
                    size="md"
                    label={t(name)}
                    isChanged={granted.has(permission) !== saved.has(permission)}
                    disabled={!canChange}
                    description={canChange ? undefined : t('common.OnlyOwnPermissions')}
                    checked={granted.has(permission)}
                    onChange={(isOn) => onChange(setPermission(granted, permission, isOn, canGrant))}
                  />
                </Box>
              )
            })}
          </RowList>
        </section>
      ))}
    </>
  )
}

function GroupTitle({ children }: { children: ReactNode }) {
  return (
    <Title order={3} fz="compact" c="dimmed" pt="sm" pb="xs">
      {children}
    </Title>
  )
}
