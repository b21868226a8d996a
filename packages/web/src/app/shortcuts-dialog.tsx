import { Modal, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAvailableHotkeys } from '../hotkeys/hotkeys.tsx'
import { useT } from '../i18n/i18n.tsx'
import { keyName, Shortcut } from '../ui/shortcut.tsx'
import classes from './shortcuts-dialog.module.css'

/** Every key that does something here and now. */
export function ShortcutsDialog({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT()
  const [sought, setSought] = useState('')
  const hotkeys = useAvailableHotkeys()
  const anywhere = t('hotkeys.Anywhere')
  const all = [
    { label: t('hotkeys.Palette'), keys: 'Mod K', group: anywhere },
    { label: t('hotkeys.CloseIt'), keys: 'Esc', group: anywhere },
    ...hotkeys.flatMap(({ label, keys, group }) => (keys ? [{ label, keys, group }] : [])),
  ]
  const namesOf = (keys: string) =>
    keys
      .split(' ')
      .map((key) => keyName(t, key))
      .join(' ')
  const wanted = sought.trim().toLocaleLowerCase()
  const groups = Map.groupBy(
    all.filter(({ label, keys }) => `${label} ${namesOf(keys)}`.toLocaleLowerCase().includes(wanted)),
    ({ group }) => group,
  )

  return (
    <Modal opened={opened} onClose={onClose} size={940} title={t('hotkeys.Title')}>
      <TextInput
        data-autofocus
        className={classes.find ?? ''}
        aria-label={t('hotkeys.Find')}
        placeholder={t('hotkeys.Find')}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      {groups.size === 0 && <p className={classes.none}>{t('hotkeys.None', { sought })}</p>}
      <div className={classes.groups}>
        {[...groups].map(([group, entries]) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {entries.map(({ label, keys }) => (
                <li key={keys}>
                  <span>{label}</span>
                  <Shortcut keys={keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className={classes.foot}>
        <span>{t('hotkeys.Note')}</span>
        <Link to="/account" onClick={onClose}>
          {t('hotkeys.ChangeInAccount')}
        </Link>
      </div>
    </Modal>
  )
}
