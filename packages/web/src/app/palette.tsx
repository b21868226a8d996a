import { addressOf } from '@innkeeper/contract/address'
import { listServers, type ServerView } from '@innkeeper/contract/servers'
import { Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useCall } from '../api/use-call.ts'
import { useKnownServers, useStates } from '../features/servers/known-servers.ts'
import { useAvailableHotkeys } from '../hotkeys/hotkeys.tsx'
import { useText } from '../i18n/text.tsx'
import { Kbd, Keys } from '../ui/small.tsx'
import { StatusMark } from '../ui/status.tsx'
import classes from './palette.module.css'
import { find, type PaletteEntry, splitAt } from './palette-search.ts'

/** How many servers the palette offers before anything is typed. */
const serversAtFirst = 5

/** One input to go anywhere, do what can be done here, and find a server by name or address. */
export function Palette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const text = useText()
  return (
    <Modal
      opened={opened}
      onClose={onClose}
      withCloseButton={false}
      centered={false}
      yOffset="min(7rem, 8vh)"
      size={620}
      padding={0}
      transitionProps={{ duration: 0 }}
      attributes={{ content: { 'aria-label': text('shell.Command') } }}
    >
      <PaletteContent onClose={onClose} />
    </Modal>
  )
}

function PaletteContent({ onClose }: { onClose: () => void }) {
  const text = useText()
  const id = useId()
  const [sought, setSought] = useState('')
  const [chosen, setChosen] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  const found = find(useEntries(sought), sought)
  const at = Math.max(
    0,
    found.findIndex((entry) => entry.id === chosen),
  )
  const current = found[at]
  const rowId = (entry: PaletteEntry) => `${id}-${entry.id}`

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })

  const run = (entry: PaletteEntry) => {
    onClose()
    entry.run()
  }
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setChosen(found[(at + step + found.length) % found.length]?.id)
    } else if (event.key === 'Enter' && current && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(current)
    }
  }

  return (
    <>
      <div className={classes.input}>
        <IconSearch size={19} aria-hidden />
        <input
          data-autofocus
          role="combobox"
          aria-label={text('shell.Command')}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={current ? rowId(current) : undefined}
          placeholder={text('shell.Command')}
          autoComplete="off"
          spellCheck={false}
          value={sought}
          onChange={(event) => {
            setSought(event.currentTarget.value)
            setChosen(undefined)
          }}
          onKeyDown={press}
        />
      </div>
      <div className={classes.list} ref={list} role="listbox" id={`${id}-list`} aria-label={text('palette.Results')}>
        {[...Map.groupBy(found, ({ group }) => group)].map(([group, entries]) => (
          // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by role
          <div key={group} role="group" aria-label={group}>
            <div className={classes.group} aria-hidden>
              {group}
            </div>
            {entries.map((entry) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents: the input above has the keyboard
              <div
                key={entry.id}
                id={rowId(entry)}
                role="option"
                tabIndex={-1}
                aria-selected={entry.id === current?.id}
                className={classes.row}
                onPointerMove={() => setChosen(entry.id)}
                onClick={() => run(entry)}
              >
                <span className={classes.icon}>{entry.icon}</span>
                <Marked text={entry.label} sought={sought} danger={entry.danger === true} />
                {entry.detail && (
                  <bdi className={classes.detail} dir="ltr">
                    {entry.detail}
                  </bdi>
                )}
                <span className={classes.space} />
                {entry.keys && <Keys keys={entry.keys} />}
              </div>
            ))}
          </div>
        ))}
        {found.length === 0 && <p className={classes.none}>{text('palette.None')}</p>}
      </div>
      <div className={classes.foot} aria-hidden>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> {text('palette.choose')}
        </span>
        <span>
          <Kbd>Enter</Kbd> {text('palette.run')}
        </span>
        <span>
          <Kbd>Esc</Kbd> {text('palette.close')}
        </span>
      </div>
    </>
  )
}

function Marked({ text, sought, danger }: { text: string; sought: string; danger: boolean }) {
  const [before, match, after] = splitAt(text, sought)
  return (
    <span className={`${classes.label} ${danger ? classes.danger : ''}`}>
      {before}
      {match && <mark>{match}</mark>}
      {after}
    </span>
  )
}

/** Everything that can be gone to and done: what concerns the page in view, then servers, then the panel. */
function useEntries(sought: string): readonly PaletteEntry[] {
  const text = useText()
  const goTo = useNavigate()
  const hotkeys = useAvailableHotkeys()
  const servers = useServers(sought)
  const states = useStates(servers.slice(0, 30).map(({ id }) => id))

  return useMemo(() => {
    const actions = hotkeys
      .filter(({ isKeysOnly }) => !isKeysOnly)
      .map(({ label, group, icon, keys, danger, run, isLocal = false }, at) => ({
        isLocal,
        entry: {
          id: `action-${at}`,
          label,
          group,
          icon,
          run,
          ...(keys === undefined ? {} : { keys }),
          ...(danger === undefined ? {} : { danger }),
        },
      }))
    const found = servers.map((server) => ({
      id: `server-${server.id}`,
      label: server.name,
      detail: addressOf(server),
      group: text('palette.Servers'),
      icon: <StatusMark state={states.get(server.id) ?? 'unknown'} named />,
      run: () => void goTo(`/server/${server.id}`),
    }))
    return [
      ...actions.filter(({ isLocal }) => isLocal).map(({ entry }) => entry),
      ...(sought.trim() === '' ? found.slice(0, serversAtFirst) : found),
      ...actions.filter(({ isLocal }) => !isLocal).map(({ entry }) => entry),
    ]
  }, [hotkeys, servers, states, text, goTo, sought])
}

/** The servers known already; with more than those, also what the panel finds. */
function useServers(sought: string): readonly ServerView[] {
  const { servers, total = 0 } = useKnownServers()
  const [wanted] = useDebouncedValue(sought.trim(), 150)
  const found = useCall(
    listServers,
    { query: { name: `*${wanted}*`, limit: 20 } },
    { enabled: wanted.length > 1 && total > servers.length, placeholderData: (before) => before },
  )
  return useMemo(() => {
    const known = new Set(servers.map(({ id }) => id))
    return [...servers, ...(found.data?.servers ?? []).filter(({ id }) => !known.has(id))]
  }, [servers, found.data])
}
