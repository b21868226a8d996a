import { ActionIcon, Badge, Button, Menu, Switch, TextInput } from '@mantine/core'
import { IconSelector, IconTrash } from '@tabler/icons-react'
import { type KeyboardEvent, type ReactNode, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { ConfirmPopover } from '../../ui/confirm.tsx'
import { columnGroups, columns, type Flags, type MayGive, presets, switched, withPreset } from './flags.ts'
import { moveInGrid } from './grid-keys.ts'
import classes from './server-users.module.css'
import type { Newcomer, People, Person } from './use-people.tsx'

/** The first column of each group is set off from the one before. */
const firstOfGroup = new Set(columnGroups.map(({ columns: [first] }) => first?.flag))

/** People as rows, rights as columns. Arrow keys move, Space switches. */
export function PermissionGrid({ server, people }: { server: string; people: People }) {
  const t = useT()
  /** The one control of the grid that Tab comes to: the one that was used last. */
  const [here, setHere] = useState<string>()
  const ids = people.people.map(({ email }) => email)
  const current = here !== undefined && ids.some((id) => here.startsWith(`${id}\n`)) ? here : `${ids[0] ?? ''}\n0`

  return (
    <div className={classes.frame}>
      <table
        // biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: a table of controls with arrow keys is a grid
        role="grid"
        className={classes.grid}
        aria-label={t('server-users.Grid', { server })}
        onKeyDown={moveInGrid}
        onFocus={({ target }) => {
          const stopped = target.closest<HTMLElement>('[data-stop]')?.dataset.stop
          if (stopped !== undefined) setHere(stopped)
        }}
      >
        <thead>
          <tr>
            <th scope="col" rowSpan={2} className={classes.who}>
              {t('server-users.User')}
            </th>
            {columnGroups.map(({ name, columns: inGroup }) => (
              <th key={name} scope="colgroup" colSpan={inGroup.length} className={`${classes.group} ${classes.first}`}>
                {t(name)}
              </th>
            ))}
            <th scope="col" rowSpan={2} className={`${classes.first} ${classes.actions}`}>
              <span className={classes.unseen}>{t('server-users.Actions')}</span>
            </th>
          </tr>
          <tr>
            {columns.map(({ flag, short, long }) => (
              <th
                key={flag}
                scope="col"
                className={`${classes.right} ${firstOfGroup.has(flag) ? classes.first : ''}`}
                data-tip={t(long)}
              >
                {t(short)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {people.people.map((person) => (
            <PersonRow key={person.email} person={person} people={people} current={current} />
          ))}
          {people.newcomer && <NewRow newcomer={people.newcomer} people={people} current={current} />}
        </tbody>
      </table>
    </div>
  )
}

interface PersonRowProps {
  readonly person: Person
  readonly people: People
  readonly current: string
}

function PersonRow({ person, people, current }: PersonRowProps) {
  const t = useT()
  const [isAsking, setIsAsking] = useState(false)
  const { name, email, flags, changes } = person
  const isChanged = changes > 0
  const stopAt = (at: number) => {
    const place = `${email}\n${at}`
    return { 'data-stop': place, tabIndex: place === current ? 0 : -1 }
  }

  return (
    <tr data-changed={isChanged || undefined}>
      <th scope="row" className={classes.who}>
        <span className={classes.person}>
          <Avatar name={name} />
          <span className={classes.names}>
            <bdi>{name}</bdi>
            {person.isInvited ? <small>{t('server-users.Invited')}</small> : <small dir="ltr">{email}</small>}
          </span>
          {person.isSelf && <Badge>{t('server-users.You')}</Badge>}
        </span>
      </th>
      <Switches
        name={name}
        flags={flags}
        saved={person.saved}
        mayGive={person.mayGive}
        stopAt={stopAt}
        onChange={(after) => people.change(person, after)}
      />
      <td className={`${classes.first} ${classes.actions}`}>
        <span className={classes.buttons}>
          {isChanged ? (
            <>
              <Button
                size="xs"
                {...stopAt(columns.length)}
                tabIndex={0}
                loading={person.isSaving}
                aria-label={t('server-users.UpdateOf', { name })}
                onClick={() => void people.save(person)}
              >
                {t('server-users.Update')}
              </Button>
              <Button
                size="xs"
                variant="subtle"
                color="gray"
                px={6}
                {...stopAt(columns.length + 1)}
                tabIndex={0}
                aria-label={t('server-users.UndoOf', { name })}
                onClick={(event) => {
                  // The button goes: the focus stays in its row.
                  event.currentTarget.closest('tr')?.querySelector<HTMLElement>('[data-stop]')?.focus()
                  people.undo(person)
                }}
              >
                {t('server-users.Undo')}
              </Button>
            </>
          ) : (
            <>
              <PresetMenu
                label={t('server-users.PresetOf', { name })}
                stop={stopAt(columns.length)}
                onChoose={(preset) => people.change(person, withPreset(flags, preset, person.mayGive))}
              />
              <ConfirmPopover
                question={t('server-users.RemoveQuestion', { name })}
                action={t('server-users.Remove')}
                opened={isAsking}
                onChange={setIsAsking}
                onConfirm={() => void people.remove(person)}
              >
                <ActionIcon
                  {...stopAt(columns.length + 1)}
                  aria-label={t('server-users.RemoveOf', { name })}
                  data-tip={t('server-users.Remove')}
                  loading={person.isSaving}
                  onClick={() => (person.isSelf ? void people.leave(person) : setIsAsking((before) => !before))}
                >
                  <IconTrash size={17} aria-hidden />
                </ActionIcon>
              </ConfirmPopover>
            </>
          )}
        </span>
      </td>
    </tr>
  )
}

interface NewRowProps {
  readonly newcomer: Newcomer
  readonly people: People
  readonly current: string
}

/** The place of the newcomer among the rows; no address can be it. */
const newcomerId = ''

function NewRow({ newcomer, people, current }: NewRowProps) {
  const t = useT()
  const { email, flags, problem, isSaving } = newcomer
  const name = email.trim() || t('server-users.NewUser')
  const stopAt = (at: number) => {
    const place = `${newcomerId}\n${at}`
    return { 'data-stop': place, tabIndex: at === 0 || place === current ? 0 : -1 }
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Escape') people.cancelAdding()
    if (event.key !== 'Enter') return
    event.preventDefault()
    void people.add()
  }

  return (
    <tr className={classes.newcomer}>
      <th scope="row" className={classes.who}>
        <TextInput
          size="xs"
          type="email"
          autoFocus
          aria-label={t('server-users.Email')}
          placeholder={t('server-users.Email')}
          autoComplete="off"
          dir="ltr"
          value={email}
          error={problem}
          onChange={(event) => people.changeNewcomer({ email: event.currentTarget.value })}
          onKeyDown={press}
          onBlur={({ currentTarget, relatedTarget }) => {
            // The message makes the row higher: a button of it that is being pressed would move away.
            if (!currentTarget.closest('tr')?.contains(relatedTarget)) people.checkEmail()
          }}
        />
        <Menu position="bottom-start">
          <Menu.Target>
            <Button
              size="compact-xs"
              variant="default"
              mt={6}
              aria-label={t('server-users.PresetOf', { name })}
              rightSection={<IconSelector size={14} aria-hidden />}
            >
              {t('server-users.Preset')}
            </Button>
          </Menu.Target>
          <Presets onChoose={(preset) => people.changeNewcomer({ flags: withPreset(flags, preset, people.mayGive) })} />
        </Menu>
      </th>
      <Switches
        name={name}
        flags={flags}
        mayGive={people.mayGive}
        stopAt={stopAt}
        onChange={(after) => people.changeNewcomer({ flags: after })}
      />
      <td className={`${classes.first} ${classes.actions}`}>
        <span className={classes.buttons}>
          <Button
            size="xs"
            {...stopAt(columns.length)}
            tabIndex={0}
            loading={isSaving}
            onClick={() => void people.add()}
          >
            {t('common.Save')}
          </Button>
          <Button
            size="xs"
            variant="subtle"
            color="gray"
            px={6}
            {...stopAt(columns.length + 1)}
            tabIndex={0}
            onClick={people.cancelAdding}
          >
            {t('common.Cancel')}
          </Button>
        </span>
      </td>
    </tr>
  )
}

interface Stop {
  readonly 'data-stop': string
  readonly tabIndex: number
}

interface SwitchesProps {
  readonly name: string
  readonly flags: Flags
  /** What the panel has, where it has anything: what differs is marked. */
  readonly saved?: Flags
  readonly mayGive: MayGive
  readonly stopAt: (at: number) => Stop
  readonly onChange: (flags: Flags) => void
}

function Switches({ name, flags, saved = flags, mayGive, stopAt, onChange }: SwitchesProps): ReactNode {
  const t = useT()
  return columns.map(({ flag, long }, index) => {
    const isOn = flags.has(flag)
    const isGiveable = isOn || mayGive(flag)
    const isChanged = isOn !== saved.has(flag)
    return (
      <td
        key={flag}
        className={`${classes.right} ${firstOfGroup.has(flag) ? classes.first : ''}`}
        data-changed={isChanged || undefined}
      >
        <Switch
          {...stopAt(index)}
          aria-label={t('server-users.SwitchName', { name, right: t(long) })}
          aria-description={isChanged ? t('server-users.Changed') : undefined}
          aria-disabled={!isGiveable || undefined}
          data-tip={isGiveable ? undefined : t('server-users.NotYours')}
          className={classes.switch ?? ''}
          checked={isOn}
          onChange={(event) => {
            if (isGiveable) onChange(switched(flags, flag, event.currentTarget.checked, mayGive))
          }}
        />
      </td>
    )
  })
}

interface PresetMenuProps {
  readonly label: string
  readonly stop: Stop
  readonly onChoose: (preset: (typeof presets)[number]) => void
}

function PresetMenu({ label, stop, onChoose }: PresetMenuProps) {
  const t = useT()
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <ActionIcon {...stop} aria-label={label} data-tip={t('server-users.Preset')}>
          <IconSelector size={17} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Presets onChoose={onChoose} />
    </Menu>
  )
}

function Presets({ onChoose }: Pick<PresetMenuProps, 'onChoose'>) {
  const t = useT()
  return (
    <Menu.Dropdown>
      {presets.map((preset) => (
        <Menu.Item key={preset} onClick={() => onChoose(preset)}>
          {t(`server-users.Preset_${preset}`)}
        </Menu.Item>
      ))}
    </Menu.Dropdown>
  )
}
