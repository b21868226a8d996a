import { Badge, Button, Group, Menu, Switch, TextInput, VisuallyHidden } from '@mantine/core'
import { IconClock, IconLink, IconTrash, IconWand } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { InfoTooltip } from '../../ui/feedback/info-tooltip.tsx'
import { moveInGrid } from '../../ui/keyboard/move-in-grid.ts'
import { findControls, useArrowFocus } from '../../ui/keyboard/use-arrow-focus.ts'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { allPermissions, permissionGroups } from '../../ui/names/server-permissions.ts'
import { ConfirmPopover } from '../../ui/overlays/confirm-popover.tsx'
import { EmailPicker } from './email-picker.tsx'
import { EndDialog } from './end-dialog.tsx'
import classes from './permission-grid.module.css'
import {
  applyPreset,
  estimateHeadingsWidth,
  type PermissionsProps,
  type Preset,
  presets,
  setPermission,
  type UserRow,
} from './permissions.ts'
import type { ServerUsersState } from './use-server-users.ts'
import { UserIdentity } from './user-identity.tsx'

/** First permissions of the groups: their columns have a border. */
const firstPermissions = new Set(permissionGroups.map(({ permissions: [first] }) => first?.permission))

/** Attribute of the controls that the arrow keys reach. */
const gridCellAttribute = 'data-grid-cell'

/** Attributes of a control that the arrow keys reach. Tab reaches only the one that was focused last. */
type GridCell = { readonly [gridCellAttribute]: string; readonly tabIndex: number }

/** Row id of the new user; no email address is empty. */
const newUserId = ''

/** Pixels of the first and the last column, which stay in view. */
const otherColumns = 192 + 120

interface PermissionGridProps {
  readonly server: string
  readonly state: ServerUsersState
  /** Of the grid, in pixels; 0 until it is measured. */
  readonly width: number
}

/** A table with one row for each user and one column for each permission. */
export function PermissionGrid({ server, state, width }: PermissionGridProps) {
  const t = useT()
  const areHeadingsVertical =
    width > 0 && estimateHeadingsWidth(allPermissions.map(({ short }) => t(short))) > width - otherColumns
  const { users, newUser } = state
  const [focused, setFocused] = useState<string>()
  const body = useRef<HTMLTableSectionElement>(null)
  const moveFocus = useArrowFocus({
    move: moveInGrid,
    root: body,
    getRows: (rows) => findControls(rows, 'tr', `[${gridCellAttribute}]`),
  })
  const ids = users.map(({ email }) => email)
  const isFocusedShown = focused !== undefined && ids.some((id) => focused.startsWith(`${id}\n`))
  const current = isFocusedShown ? focused : `${ids[0] ?? ''}\n0`
  const getCell = (row: string, index: number): GridCell => {
    const id = `${row}\n${index}`
    return { [gridCellAttribute]: id, tabIndex: id === current || (row === newUserId && index === 0) ? 0 : -1 }
  }

  return (
    <div className={classes.frame}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of controls with arrow keys is a grid
        role="grid"
        className={classes.grid}
        data-vertical-headings={areHeadingsVertical || undefined}
        aria-label={t('server-users.Grid', { server })}
        onKeyDown={moveFocus}
        onFocus={({ target }) => {
          const cell = target.closest(`[${gridCellAttribute}]`)?.getAttribute(gridCellAttribute)
          if (cell) setFocused(cell)
        }}
      >
        <thead>
          <tr>
            <th scope="col" rowSpan={2} className={classes.user}>
              {t('server-users.User')}
            </th>
            {permissionGroups.map(({ name, permissions }) => (
              <th key={name} scope="colgroup" colSpan={permissions.length} className={classes.group} data-first>
                {t(name)}
              </th>
            ))}
            <th scope="col" rowSpan={2} className={classes.actions} data-first>
              <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
            </th>
          </tr>
          <tr>
            {allPermissions.map(({ permission, short, name }) => (
              <InfoTooltip key={permission} label={t(name)}>
                <th
                  scope="col"
                  className={classes.permission}
                  data-first={firstPermissions.has(permission) || undefined}
                >
                  <span>{t(short)}</span>
                </th>
              </InfoTooltip>
            ))}
          </tr>
        </thead>
        <tbody ref={body}>
          {users.map((user) => (
            <UserGridRow key={user.email} user={user} state={state} getCell={(index) => getCell(user.email, index)} />
          ))}
          {newUser.isOpen && <NewUserRow state={state} getCell={(index) => getCell(newUserId, index)} />}
        </tbody>
      </table>
    </div>
  )
}

interface RowProps {
  readonly state: ServerUsersState
  readonly getCell: (index: number) => GridCell
}

function UserGridRow({ user, state, getCell }: RowProps & { readonly user: UserRow }) {
  const t = useT()
  const isChanged = user.changes > 0
  return (
    <tr data-changed={isChanged || undefined}>
      <th scope="row" className={classes.user}>
        <Group gap="xs" wrap="nowrap">
          <UserIdentity user={user} />
          {user.isSelf && <Badge>{t('server-users.You')}</Badge>}
        </Group>
      </th>
      <Switches {...user} getCell={getCell} onChange={(permissions) => state.setPermissions(user, permissions)} />
      <ActionsCell>
        {isChanged ? (
          <ChangedActions user={user} state={state} getCell={getCell} />
        ) : (
          <SavedActions user={user} state={state} getCell={getCell} />
        )}
      </ActionsCell>
    </tr>
  )
}

function ChangedActions({ user, state, getCell }: RowProps & { readonly user: UserRow }) {
  const t = useT()
  const { name } = user
  return (
    <>
      <Button
        size="compact-xs"
        fullWidth
        {...getCell(allPermissions.length)}
        tabIndex={0}
        loading={user.isSaving}
        aria-label={t('server-users.UpdateOf', { name })}
        onClick={() => void state.save(user)}
      >
        {t('server-users.Update')}
      </Button>
      <Button
        size="compact-xs"
        fullWidth
        variant="subtle"
        {...getCell(allPermissions.length + 1)}
        tabIndex={0}
        aria-label={t('server-users.UndoOf', { name })}
        onClick={(event) => {
          // This button disappears: keep the focus in its row.
          event.currentTarget.closest('tr')?.querySelector<HTMLElement>(`[${gridCellAttribute}]`)?.focus()
          state.undo(user)
        }}
      >
        {t('common.Undo')}
      </Button>
    </>
  )
}

function SavedActions({ user, state, getCell }: RowProps & { readonly user: UserRow }) {
  const t = useT()
  const [isConfirming, setIsConfirming] = useState(false)
  const [isEnding, setIsEnding] = useState(false)
  const { name, permissions, canGrant } = user
  return (
    <>
      <PresetMenu onSelect={(preset) => state.setPermissions(user, applyPreset(permissions, preset, canGrant))}>
        <IconButton
          {...getCell(allPermissions.length)}
          label={t('server-users.PresetOf', { name })}
          tooltip={t('server-users.Preset')}
        >
          <IconWand size={17} aria-hidden />
        </IconButton>
      </PresetMenu>
      <IconButton
        {...getCell(allPermissions.length + 1)}
        label={t('server-users.EndTitle', { name })}
        tooltip={t('server-users.End')}
        onClick={() => setIsEnding(true)}
      >
        <IconClock size={17} aria-hidden />
      </IconButton>
      {isEnding && <EndDialog user={user} setEnd={state.setEnd} onClose={() => setIsEnding(false)} />}
      <ConfirmPopover
        question={t('server-users.RemoveQuestion', { name })}
        action={t('server-users.Remove')}
        opened={isConfirming}
        onChange={setIsConfirming}
        onConfirm={() => void state.remove(user)}
      >
        <IconButton
          {...getCell(allPermissions.length + 2)}
          label={t('common.RemoveNamed', { name })}
          tooltip={t('server-users.Remove')}
          loading={user.isSaving}
          onClick={() => (user.isSelf ? void state.removeSelf(user) : setIsConfirming((before) => !before))}
        >
          <IconTrash size={17} aria-hidden />
        </IconButton>
      </ConfirmPopover>
    </>
  )
}

function NewUserRow({ state, getCell }: RowProps) {
  const t = useT()
  const { newUser, canGrant } = state
  const { form, permissions, setPermissions } = newUser
  const { onBlur, ...email } = form.field('email')
  const name = form.values.email.trim() || t('server-users.NewUser')
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape') newUser.close()
    // Enter takes a suggestion that the arrow keys have reached.
    if (event.key !== 'Enter' || event.currentTarget.hasAttribute('aria-activedescendant')) return
    event.preventDefault()
    void form.save()
  }

  return (
    <tr ref={form.root}>
      <th scope="row" className={classes.user}>
        <EmailPicker
          size="xs"
          autoFocus
          aria-label={t('common.Email')}
          placeholder={t('common.Email')}
          {...email}
          onKeyDown={onKeyDown}
          onBlur={({ currentTarget, relatedTarget }) => {
            // The error makes the row higher and would move a button of it that is being pressed.
            if (!currentTarget.closest('tr')?.contains(relatedTarget)) onBlur()
          }}
        />
        <Group gap="2xs" mt="xs">
          <PresetMenu onSelect={(preset) => setPermissions(applyPreset(permissions, preset, canGrant))}>
            <Button
              size="compact-xs"
              variant="default"
              aria-label={t('server-users.PresetOf', { name })}
              leftSection={<IconWand size={14} aria-hidden />}
            >
              {t('server-users.Preset')}
            </Button>
          </PresetMenu>
          <Button
            size="compact-xs"
            variant="default"
            disabled={form.isSaving}
            leftSection={<IconLink size={14} aria-hidden />}
            onClick={() => void newUser.createLink()}
          >
            {t('server-users.CreateLink')}
          </Button>
        </Group>
        <TextInput
          {...form.field('until')}
          className={classes.end}
          size="xs"
          mt="xs"
          type="datetime-local"
          label={t('server-users.EndsAt')}
        />
      </th>
      <Switches name={name} permissions={permissions} canGrant={canGrant} getCell={getCell} onChange={setPermissions} />
      <ActionsCell>
        <Button
          size="compact-xs"
          fullWidth
          {...getCell(allPermissions.length)}
          tabIndex={0}
          loading={form.isSaving}
          onClick={() => void form.save()}
        >
          {t('common.Save')}
        </Button>
        <Button
          size="compact-xs"
          fullWidth
          variant="subtle"
          {...getCell(allPermissions.length + 1)}
          tabIndex={0}
          onClick={newUser.close}
        >
          {t('common.Cancel')}
        </Button>
      </ActionsCell>
    </tr>
  )
}

interface SwitchesProps extends PermissionsProps {
  readonly name: string
  readonly getCell: (index: number) => GridCell
}

/** One cell for each permission. A permission that cannot be granted keeps the focus, with the reason. */
function Switches({ name, permissions, saved = permissions, canGrant, getCell, onChange }: SwitchesProps): ReactNode {
  const t = useT()
  return allPermissions.map(({ permission: granted, name: permission }, index) => {
    const isOn = permissions.has(granted)
    const canChange = isOn || canGrant(granted)
    const isChanged = isOn !== saved.has(granted)
    const description = canChange ? isChanged && t('common.Changed') : t('common.OnlyOwnPermissions')
    return (
      <td
        key={granted}
        className={classes.permission}
        data-first={firstPermissions.has(granted) || undefined}
        data-changed={isChanged || undefined}
      >
        <Switch
          {...getCell(index)}
          aria-label={t('server-users.SwitchName', { name, permission: t(permission) })}
          data-tip={t(permission)}
          aria-description={description || undefined}
          aria-disabled={!canChange || undefined}
          className={classes.switch}
          checked={isOn}
          onChange={(event) => {
            if (canChange) onChange(setPermission(permissions, granted, event.currentTarget.checked, canGrant))
          }}
        />
      </td>
    )
  })
}

function ActionsCell({ children }: { children: ReactNode }) {
  return (
    <td className={classes.actions} data-first>
      <Group gap="3xs" justify="flex-end">
        {children}
      </Group>
    </td>
  )
}

function PresetMenu({ onSelect, children }: { onSelect: (preset: Preset) => void; children: ReactNode }) {
  const t = useT()
  return (
    <Menu position="bottom-end">
      <Menu.Target>{children}</Menu.Target>
      <Menu.Dropdown>
        {presets.map((preset) => (
          <Menu.Item key={preset} onClick={() => onSelect(preset)}>
            {t(`server-users.Preset_${preset}`)}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  )
}
