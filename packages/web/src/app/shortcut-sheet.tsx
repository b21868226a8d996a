import { Modal, TextInput } from '@mantine/core'
import { IconSearch } from '@tabler/icons-react'
import { useState } from 'react'
import { Link } from 'react-router'
import { useAvailableHotkeys } from '../hotkeys/hotkeys.tsx'
import { useText } from '../i18n/text.tsx'
import { Keys, keyName } from '../ui/small.tsx'
import classes from './shortcut-sheet.module.css'

/** Every key that does something here and now. */
export function ShortcutSheet({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const text = useText()
  const [sought, setSought] = useState('')
  const hotkeys = useAvailableHotkeys()
  const anywhere = text('hotkeys.Anywhere')
  const all = [
    { label: text('hotkeys.Palette'), keys: 'Mod K', group: anywhere },
    { label: text('hotkeys.CloseIt'), keys: 'Esc', group: anywhere },
    ...hotkeys.flatMap(({ label, keys, group }) => (keys ? [{ label, keys, group }] : [])),
  ]
  const namesOf = (keys: string) =>
    keys
      .split(' ')
      .map((key) => keyName(text, key))
      .join(' ')
  const wanted = sought.trim().toLocaleLowerCase()
  const groups = Map.groupBy(
    all.filter(({ label, keys }) => `${label} ${namesOf(keys)}`.toLocaleLowerCase().includes(wanted)),
    ({ group }) => group,
  )

  return (
    <Modal
      opened={opened}
      onClose={onClose}
      size={940}
      title={text('hotkeys.Title')}
      closeButtonProps={{ 'aria-label': text('common.Close') }}
    >
      <TextInput
        data-autofocus
        className={classes.find ?? ''}
        aria-label={text('hotkeys.Find')}
        placeholder={text('hotkeys.Find')}
        leftSection={<IconSearch size={15} aria-hidden />}
        value={sought}
        onChange={(event) => setSought(event.currentTarget.value)}
      />
      {groups.size === 0 && <p className={classes.none}>{text('hotkeys.None', { sought })}</p>}
      <div className={classes.groups}>
        {[...groups].map(([group, entries]) => (
          <section key={group}>
            <h3>{group}</h3>
            <ul>
              {entries.map(({ label, keys }) => (
                <li key={keys}>
                  <span>{label}</span>
                  <Keys keys={keys} />
                </li>
              ))}
            </ul>
          </section>
        ))}
      </div>
      <div className={classes.foot}>
        <span>{text('hotkeys.Note')}</span>
        <Link to="/account" onClick={onClose}>
          {text('hotkeys.ChangeInAccount')}
        </Link>
      </div>
    </Modal>
  )
}
