import { Badge, Button, Modal, Paper, Switch, TextInput, UnstyledButton } from '@mantine/core'
import { IconArrowLeft, IconChevronRight, IconTrash } from '@tabler/icons-react'
import { type ReactNode, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Avatar } from '../../ui/avatar.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import {
  columnGroups,
  differences,
  type Flags,
  type MayGive,
  presetOf,
  presets,
  switched,
  withPreset,
} from './flags.ts'
import classes from './phone-people.module.css'
import type { People, Person } from './use-people.tsx'

/** The people of a server where the grid has no room: a list, and one person at a time. */
export function PhonePeople({ people }: { people: People }) {
  const t = useT()
  const [openedEmail, setOpenedEmail] = useState<string>()
  const opened = people.people.find(({ email }) => email === openedEmail)

  return (
    <>
      <Paper>
        <ul className={classes.list}>
          {people.people.map((person) => (
            <li key={person.email}>
              <UnstyledButton className={classes.entry} onClick={() => setOpenedEmail(person.email)}>
                <Avatar name={person.name} />
                <span className={classes.names}>
                  <bdi>{person.name}</bdi>
                  {!person.isInvited && <small dir="ltr">{person.email}</small>}
                </span>
                {person.changes > 0 ? (
                  <Badge>{t('server-users.Changes', { count: person.changes })}</Badge>
                ) : (
                  <Badge>{summaryOf(t, person)}</Badge>
                )}
                <IconChevronRight size={18} aria-hidden data-flip />
              </UnstyledButton>
            </li>
          ))}
        </ul>
      </Paper>
      {opened && <PersonScreen person={opened} people={people} onClose={() => setOpenedEmail(undefined)} />}
      {people.newcomer && <NewcomerScreen newcomer={people.newcomer} people={people} />}
    </>
  )
}

function summaryOf(text: ReturnType<typeof useT>, { isSelf, isInvited, flags }: Person): string {
  if (isSelf) return text('server-users.You')
  if (isInvited) return text('server-users.Invited')
  const preset = presetOf(flags)
  return preset ? text(`server-users.Preset_${preset}`) : text('server-users.OwnChoice', { count: flags.size })
}

interface PersonScreenProps {
  readonly person: Person
  readonly people: People
  readonly onClose: () => void
}

function PersonScreen({ person, people, onClose }: PersonScreenProps) {
  const t = useT()
  const confirm = useConfirm()
  const { name, email, flags, changes } = person

  const remove = async () => {
    if (person.isSelf) return people.leave(person)
    const isWanted = await confirm({
      title: t('server-users.Remove'),
      body: t('server-users.RemoveQuestion', { name }),
      action: t('server-users.Remove'),
      danger: true,
    })
    if (isWanted) await people.remove(person)
  }
  return (
    <Screen
      onClose={onClose}
      title={
        <>
          <Avatar name={name} />
          <span className={classes.names}>
            <bdi>{name}</bdi>
            {!person.isInvited && <small dir="ltr">{email}</small>}
          </span>
        </>
      }
      action={
        <UnstyledButton
          className={classes.remove}
          aria-label={t('server-users.RemoveOf', { name })}
          onClick={() => void remove()}
        >
          <IconTrash size={21} aria-hidden />
        </UnstyledButton>
      }
      bar={
        changes > 0 && (
          <>
            <span role="status">{t('server-users.Changes', { count: changes })}</span>
            <Button variant="subtle" color="gray" onClick={() => people.undo(person)} disabled={person.isSaving}>
              {t('server-users.Undo')}
            </Button>
            <Button onClick={() => void people.save(person)} loading={person.isSaving}>
              {t('server-users.Update')}
            </Button>
          </>
        )
      }
    >
      <Rights
        flags={flags}
        saved={person.saved}
        mayGive={person.mayGive}
        onChange={(after) => people.change(person, after)}
      />
    </Screen>
  )
}

function NewcomerScreen({ newcomer, people }: { newcomer: NonNullable<People['newcomer']>; people: People }) {
  const t = useT()
  const { email, flags, problem, isSaving } = newcomer
  return (
    <Screen
      onClose={people.cancelAdding}
      title={<span className={classes.names}>{t('server-users.Add')}</span>}
      bar={
        <>
          <span>{t('server-users.OwnChoice', { count: differences(new Set(), flags) })}</span>
          <Button variant="subtle" color="gray" onClick={people.cancelAdding} disabled={isSaving}>
            {t('common.Cancel')}
          </Button>
          <Button onClick={() => void people.add()} loading={isSaving}>
            {t('common.Save')}
          </Button>
        </>
      }
    >
      <TextInput
        className={classes.email ?? ''}
        data-autofocus
        type="email"
        label={t('server-users.Email')}
        autoComplete="off"
        dir="ltr"
        value={email}
        error={problem}
        onChange={(event) => people.changeNewcomer({ email: event.currentTarget.value })}
        onBlur={people.checkEmail}
      />
      <Rights flags={flags} mayGive={people.mayGive} onChange={(after) => people.changeNewcomer({ flags: after })} />
    </Screen>
  )
}

interface ScreenProps {
  readonly title: ReactNode
  readonly action?: ReactNode
  /** What sticks to the bottom. */
  readonly bar: ReactNode
  readonly onClose: () => void
  readonly children: ReactNode
}

/** A whole screen above the page, or a dialog where there is room; Back leads to the list again. */
function Screen({ title, action, bar, onClose, children }: ScreenProps) {
  const t = useT()
  const isPhone = useIsPhone()
  return (
    <Modal.Root opened fullScreen={isPhone} size={560} onClose={onClose} transitionProps={{ duration: 0 }}>
      {!isPhone && <Modal.Overlay />}
      <Modal.Content {...(isPhone && { radius: 0 })} className={classes.screen ?? ''}>
        <div className={classes.head}>
          <UnstyledButton className={classes.back} aria-label={t('server-users.BackToList')} onClick={onClose}>
            <IconArrowLeft size={22} aria-hidden data-flip />
          </UnstyledButton>
          <Modal.Title className={classes.title ?? ''}>{title}</Modal.Title>
          {action}
        </div>
        <div className={classes.body}>{children}</div>
        {bar && <div className={classes.bar}>{bar}</div>}
      </Modal.Content>
    </Modal.Root>
  )
}

interface RightsProps {
  readonly flags: Flags
  /** What the panel has, where it has anything: what differs is marked. */
  readonly saved?: Flags
  readonly mayGive: MayGive
  readonly onChange: (flags: Flags) => void
}

function Rights({ flags, saved = flags, mayGive, onChange }: RightsProps) {
  const t = useT()
  const chosen = presetOf(flags)
  return (
    <>
      <h3 className={classes.group}>{t('server-users.Preset')}</h3>
      <fieldset className={classes.presets} aria-label={t('server-users.Preset')}>
        {presets.map((preset) => (
          <UnstyledButton
            key={preset}
            className={classes.preset}
            aria-pressed={preset === chosen}
            onClick={() => onChange(withPreset(flags, preset, mayGive))}
          >
            {t(`server-users.Preset_${preset}`)}
          </UnstyledButton>
        ))}
      </fieldset>
      {columnGroups.map(({ name, columns }) => (
        <section key={name} aria-label={t(name)}>
          <h3 className={classes.group}>{t(name)}</h3>
          <div className={classes.rights}>
            {columns.map(({ flag, long }) => {
              const isGiveable = flags.has(flag) || mayGive(flag)
              return (
                <div key={flag} className={classes.permission}>
                  <Switch
                    labelPosition="left"
                    size="md"
                    label={
                      <span className={classes.label}>
                        {t(long)}
                        {flags.has(flag) !== saved.has(flag) && <Badge>{t('server-users.Changed')}</Badge>}
                      </span>
                    }
                    aria-label={t(long)}
                    description={isGiveable ? undefined : t('server-users.NotYours')}
                    disabled={!isGiveable}
                    checked={flags.has(flag)}
                    onChange={(event) => onChange(switched(flags, flag, event.currentTarget.checked, mayGive))}
                  />
                </div>
              )
            })}
          </div>
        </section>
      ))}
    </>
  )
}
