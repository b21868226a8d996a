import { addressOf } from '@innkeeper/contract/address'
import { listServers, type ServerView } from '@innkeeper/contract/servers'
import { Kbd, Modal } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch } from '@tabler/icons-react'
import { type KeyboardEvent, use, useEffect, useId, useMemo, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { ShowErrorContext } from '../api/use-api-mutation.ts'
import { useApiQuery } from '../api/use-api-query.ts'
import type { PowerAction } from '../features/power/power.ts'
import { powerIcons } from '../features/power/power-icons.ts'
import { useConfirmedPower } from '../features/power/use-confirmed-power.ts'
import { possibleActions, useListPower } from '../features/power/use-list-power.ts'
import { useKnownServers, useStates } from '../features/servers/known-servers.ts'
import { useRights } from '../features/servers/rights.ts'
import { useUsage } from '../features/servers/usage.ts'
import { useAvailableHotkeys } from '../hotkeys/hotkeys.tsx'
import { useT } from '../i18n/i18n.tsx'
import { Shortcut } from '../ui/shortcut.tsx'
import { StatusIcon } from '../ui/status.tsx'
import { toast } from '../ui/toast.tsx'
import classes from './command-palette.module.css'
import { type Command, matchScore, queryWords, searchCommands, splitMatch } from './command-search.ts'

/** How many servers the palette offers before anything is typed. */
const serversAtFirst = 5
/** For so many servers it offers actions. */
const serversWithActions = 5

/** One input to go anywhere, do what can be done here, and find a server by name or address. */
export function CommandPalette({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT()
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
      attributes={{ content: { 'aria-label': t('shell.Command') } }}
    >
      <PaletteContent onClose={onClose} />
    </Modal>
  )
}

function PaletteContent({ onClose }: { onClose: () => void }) {
  const t = useT()
  const id = useId()
  const [sought, setSought] = useState('')
  const [chosen, setChosen] = useState<string>()
  const list = useRef<HTMLDivElement>(null)
  const found = searchCommands(useEntries(sought), sought)
  const at = Math.max(
    0,
    found.findIndex((entry) => entry.id === chosen),
  )
  const current = found[at]
  const rowId = (entry: Command) => `${id}-${entry.id}`

  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })

  const run = (entry: Command) => {
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
          aria-label={t('shell.Command')}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={current ? rowId(current) : undefined}
          placeholder={t('shell.Command')}
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
      <div className={classes.list} ref={list} role="listbox" id={`${id}-list`} aria-label={t('palette.Results')}>
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
                {entry.keys && <Shortcut keys={entry.keys} />}
              </div>
            ))}
          </div>
        ))}
        {found.length === 0 && <p className={classes.none}>{t('palette.None')}</p>}
      </div>
      <div className={classes.foot} aria-hidden>
        <span>
          <Kbd>↑</Kbd> <Kbd>↓</Kbd> {t('palette.choose')}
        </span>
        <span>
          <Shortcut keys="Enter" /> {t('palette.run')}
        </span>
        <span>
          <Shortcut keys="Esc" /> {t('palette.close')}
        </span>
      </div>
    </>
  )
}

function Marked({ text, sought, danger }: { text: string; sought: string; danger: boolean }) {
  const [before, match, after] = splitMatch(text, sought)
  return (
    <span className={`${classes.label} ${danger ? classes.danger : ''}`}>
      {before}
      {match && <mark>{match}</mark>}
      {after}
    </span>
  )
}

/** Everything that can be gone to and done: what concerns the page in view, then servers, then the panel. */
function useEntries(sought: string): readonly Command[] {
  const t = useT()
  const goTo = useNavigate()
  const hotkeys = useAvailableHotkeys()
  const servers = useServers(sought)
  const states = useStates(servers.slice(0, 30).map(({ id }) => id))
  const serverActions = useServerActions(servers, sought)

  return useMemo(() => {
    const actions = hotkeys
      .filter(({ hiddenInPalette }) => !hiddenInPalette)
      .map(({ label, group, icon, keys, danger, run, isContextual = false }, index) => ({
        isContextual,
        entry: {
          id: `action-${index}`,
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
      group: t('palette.Servers'),
      icon: <StatusIcon state={states.get(server.id) ?? 'unknown'} named />,
      run: () => void goTo(`/server/${server.id}`),
    }))
    return [
      ...actions.filter(({ isContextual }) => isContextual).map(({ entry }) => entry),
      ...(sought.trim() === '' ? found.slice(0, serversAtFirst) : found),
      ...serverActions,
      ...actions.filter(({ isContextual }) => !isContextual).map(({ entry }) => entry),
    ]
  }, [hotkeys, servers, states, serverActions, t, goTo, sought])
}

/** The actions on servers whose name is among the words typed, such as "stop trains". */
function useServerActions(servers: readonly ServerView[], sought: string): readonly Command[] {
  const t = useT()
  const tell = use(ShowErrorContext)
  const confirmed = useConfirmedPower()
  const words = queryWords(sought)
  const named =
    words.length < 2
      ? []
      : servers.filter(({ name }) => words.some((word) => matchScore(name, word) > 0)).slice(0, serversWithActions)
  const ids = named.map(({ id }) => id)
  const { of: usage } = useUsage(ids)
  const power = useListPower(usage)
  const can = useRights(ids)

  const run = async (server: ServerView, action: PowerAction) => {
    if (!(await confirmed(server.name, action, usage.get(server.id)?.status))) return
    await power.send(server, action)
    toast.success(t(`palette.Done_${action}`, { name: server.name }))
  }
  return named.flatMap((server) => {
    const status = usage.get(server.id)?.status
    const possible = possibleActions(power.stateOf(server.id), status, (flag) => can(server.id, flag) === true)
    return possible.map((action): Command => {
      const Icon = powerIcons[action]
      return {
        id: `server-${server.id}-${action}`,
        label: t(`palette.Server_${action}`, { name: server.name }),
        group: t('palette.Servers'),
        icon: <Icon size={18} aria-hidden />,
        ...(action === 'kill' || action === 'cancelInstall' ? { danger: true } : {}),
        run: () => void run(server, action).catch(tell),
      }
    })
  })
}

/** The servers known already; with more than those, also what the panel finds. */
function useServers(sought: string): readonly ServerView[] {
  const { servers, total = 0 } = useKnownServers()
  const [wanted] = useDebouncedValue(sought.trim(), 150)
  const found = useApiQuery(
    listServers,
    { query: { name: `*${wanted}*`, limit: 20 } },
    { enabled: wanted.length > 1 && total > servers.length, placeholderData: (before) => before },
  )
  return useMemo(() => {
    const known = new Set(servers.map(({ id }) => id))
    return [...servers, ...(found.data?.servers ?? []).filter(({ id }) => !known.has(id))]
  }, [servers, found.data])
}
