import { sendCommand } from '@innkeeper/contract/servers/node-servers'
import { listServers, type ServerView } from '@innkeeper/contract/servers/servers'
import { getAddress } from '@innkeeper/contract/text/address'
import { Box, Divider, Group, Modal, Pill, Space, Text, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconSearch, IconTerminal2 } from '@tabler/icons-react'
import { keepPreviousData } from '@tanstack/react-query'
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react'
import { Trans } from 'react-i18next'
import { matchPath, useLocation, useNavigate } from 'react-router'
import { request } from '../api/request.ts'
import { useAction } from '../api/use-action.ts'
import { useApiQuery } from '../api/use-api.ts'
import { getAvailableActions, getNamedPowerLabel, type PowerAction, powerDisplays } from '../features/power/power.ts'
import { useConfirmPower } from '../features/power/use-confirm-power.ts'
import { useListPower } from '../features/power/use-list-power.ts'
import { useServerList, useServerStatuses } from '../features/servers/use-server-list.ts'
import { useServerPermissions } from '../features/servers/use-server-permissions.ts'
import { useServerUsage } from '../features/servers/use-server-usage.ts'
import { useAvailableHotkeys } from '../hotkeys/hotkeys.tsx'
import { Shortcut } from '../hotkeys/shortcut.tsx'
import { useT } from '../i18n/i18n.tsx'
import { StatusIcon } from '../ui/feedback/status.tsx'
import { toast } from '../ui/toasts/toast.tsx'
import classes from './command-palette.module.css'
import { type Command, matchScore, queryWords, searchCommands, splitMatch } from './command-search.ts'
import { usePageCommands, useResourceCommands } from './use-commands.tsx'

/** How many servers are listed before a query is entered. */
const maxServersWithoutQuery = 5
/** For how many matching servers actions are listed. */
const maxServersWithActions = 5

/**
 * Dialog to go to a page, run an action of the current page, and find a server by name or address. Why it does not use
 * `@mantine/spotlight`: `docs/architecture.md`.
 */
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
      attributes={{ content: { 'aria-label': t('common.SearchOrRun') } }}
    >
      <PaletteContent onClose={onClose} />
    </Modal>
  )
}

function PaletteContent({ onClose }: { onClose: () => void }) {
  const t = useT()
  const id = useId()
  const [query, setQuery] = useState('')
  const [selectedId, setSelectedId] = useState<string>()
  const servers = useServers(query)
  const pageId = matchPath('/server/:id', useLocation().pathname)?.params.id
  const [scopeId, setScopeId] = useState(pageId)
  const scope = servers.find(({ id: serverId }) => serverId === scopeId)
  const canSend = useServerPermissions(scope ? [scope.id] : [])(scope?.id ?? '', 'sendServerConsole') === true && scope
  const consoleCommand = useConsoleCommand(canSend || undefined, query)
  const commands = useCommands({ query, servers, scope, pageId })
  const matches = consoleCommand ? [consoleCommand] : searchCommands(commands, query)
  const narrow = (serverId: string | undefined) => {
    setScopeId(serverId)
    setQuery('')
    setSelectedId(undefined)
  }
  const index = Math.max(
    0,
    matches.findIndex((command) => command.id === selectedId),
  )
  const selected = matches[index]
  // What the panel finds later does not move the selection.
  if (query !== '' && selected && selected.id !== selectedId) setSelectedId(selected.id)

  const run = (command: Command) => {
    onClose()
    command.run()
  }
  const onKeyDown = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (step !== undefined) {
      event.preventDefault()
      setSelectedId(matches[(index + step + matches.length) % matches.length]?.id)
    } else if (event.key === 'Enter' && selected && !event.nativeEvent.isComposing) {
      event.preventDefault()
      run(selected)
    } else if (event.key === 'Tab' && !event.shiftKey && selected?.serverId !== undefined) {
      event.preventDefault()
      narrow(selected.serverId)
    } else if (event.key === 'Backspace' && query === '' && scope) {
      narrow(undefined)
    }
  }

  return (
    <>
      <Group gap={0} wrap="nowrap" pe="sm">
        <TextInput
          data-autofocus
          flex={1}
          variant="unstyled"
          size="lg"
          px="2xs"
          leftSection={<IconSearch size={19} aria-hidden />}
          role="combobox"
          aria-label={t('common.SearchOrRun')}
          aria-expanded="true"
          aria-controls={`${id}-list`}
          aria-autocomplete="list"
          aria-activedescendant={selected && optionId(id, selected)}
          placeholder={t('common.SearchOrRun')}
          autoComplete="off"
          spellCheck={false}
          value={query}
          onChange={(event) => {
            setQuery(event.currentTarget.value)
            setSelectedId(undefined)
          }}
          onKeyDown={onKeyDown}
        />
        {scope && (
          <Pill
            maw={{ base: '45%', xs: '14rem' }}
            flex="none"
            bg="var(--ik-hover)"
            withRemoveButton
            onRemove={() => narrow(undefined)}
            removeButtonProps={{ 'aria-label': t('palette.RemoveScope', { name: scope.name }), 'aria-hidden': false }}
          >
            <bdi>{scope.name}</bdi>
          </Pill>
        )}
      </Group>
      <Divider />
      <PaletteResults
        id={id}
        query={query}
        matches={matches}
        selected={selected}
        onSelect={setSelectedId}
        onRun={run}
      />
      <PaletteKeys canNarrow={selected?.serverId !== undefined} canSend={Boolean(canSend)} />
    </>
  )
}

const optionId = (id: string, command: Command) => `${id}-${command.id}`

interface PaletteResultsProps {
  /** The start of the ids of the list and its options. */
  readonly id: string
  readonly query: string
  readonly matches: readonly Command[]
  readonly selected: Command | undefined
  readonly onSelect: (id: string) => void
  readonly onRun: (command: Command) => void
}

/** The matching commands by group. */
function PaletteResults({ id, query, matches, selected, onSelect, onRun }: PaletteResultsProps) {
  const t = useT()
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    list.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'nearest' })
  })
  return (
    <div className={classes.list} ref={list} role="listbox" id={`${id}-list`} aria-label={t('palette.Results')}>
      {[...Map.groupBy(matches, ({ group }) => group)].map(([group, commands]) => (
        // biome-ignore lint/a11y/useSemanticElements: options of a listbox are grouped by role
        <div key={group} role="group" aria-label={group}>
          <Text component="div" fz="xs" fw={500} c="var(--ik-subtle)" px="lg" pt="sm" pb="2xs" aria-hidden>
            {group}
          </Text>
          {commands.map((command) => (
            <Group
              key={command.id}
              id={optionId(id, command)}
              role="option"
              aria-selected={command.id === selected?.id}
              className={classes.option}
              gap="sm"
              mih="2.625rem"
              mx="xs"
              px="xs"
              wrap="nowrap"
              onPointerMove={() => onSelect(command.id)}
              onClick={() => onRun(command)}
            >
              <Group component="span" justify="center" w="1.125rem" c="dimmed">
                {command.icon}
              </Group>
              <Label command={command} query={query} />
              {command.detail && (
                <Text component="bdi" dir="ltr" variant="caption" truncate>
                  {command.detail}
                </Text>
              )}
              <Space flex={1} />
              {command.keys && (
                <span className={classes.keys}>
                  <Shortcut keys={command.keys} />
                </span>
              )}
            </Group>
          ))}
        </div>
      ))}
      {matches.length === 0 && (
        <Text p="xl" ta="center" c="dimmed">
          {t('palette.None')}
        </Text>
      )}
    </div>
  )
}

interface PaletteKeysProps {
  /** The selected command is about a server, whose commands can be listed alone. */
  readonly canNarrow: boolean
  /** A console command can be sent. */
  readonly canSend: boolean
}

/** The keys of the palette. */
function PaletteKeys({ canNarrow, canSend }: PaletteKeysProps) {
  return (
    <>
      <Divider className={classes.keys} />
      <Group className={classes.keys} gap="md" px="lg" py="xs" fz="xs" c="var(--ik-subtle)" aria-hidden>
        <span>
          <Trans i18nKey="palette.SelectKeys" components={{ up: <Shortcut keys="↑" />, down: <Shortcut keys="↓" /> }} />
        </span>
        <span>
          <Trans i18nKey="palette.RunKey" components={{ key: <Shortcut keys="Enter" /> }} />
        </span>
        {canNarrow ? (
          <span>
            <Trans i18nKey="palette.NarrowKey" components={{ key: <Shortcut keys="Tab" /> }} />
          </span>
        ) : (
          <span>
            <Trans i18nKey="palette.CloseKey" components={{ key: <Shortcut keys="Esc" /> }} />
          </span>
        )}
        {canSend && (
          <Box component="span" ms="auto">
            <Trans i18nKey="palette.SendKey" components={{ key: <Shortcut keys=">" /> }} />
          </Box>
        )}
      </Group>
    </>
  )
}

/** The label with the matching part marked. */
function Label({ command, query }: { command: Command; query: string }) {
  // A single letter occurs everywhere: marking it would not help.
  const [before, match, after] = splitMatch(command.label, query.trim().length > 1 ? query : '')
  return (
    <Text component="span" truncate c={command.danger ? 'var(--ik-offline)' : undefined}>
      {before}
      {match && <mark className={classes.match}>{match}</mark>}
      {after}
    </Text>
  )
}

interface CommandsOptions {
  readonly query: string
  readonly servers: readonly ServerView[]
  /** The server that the palette is narrowed to. */
  readonly scope: ServerView | undefined
  /** The id of the server whose page is open. */
  readonly pageId: string | undefined
}

/**
 * All commands: first those of the current page, then servers, then those of the panel. Narrowed to another server, only those
 * of that server. Without the scope of the server whose page is open, those of its page are left out.
 */
function useCommands({ query, servers, scope, pageId }: CommandsOptions): readonly Command[] {
  const t = useT()
  const navigate = useNavigate()
  const hotkeys = useAvailableHotkeys()
  const states = useServerStatuses(servers.slice(0, 30).map(({ id }) => id))
  const isPage = scope?.id === pageId
  const other = isPage ? undefined : scope
  const serverActions = useServerActions(other ? [other] : findNamedServers(servers, query))
  const resources = useResourceCommands(query)
  const pages = usePageCommands(query)

  return useMemo(() => {
    // They register again whenever the server changes, so their order is not that of the page.
    const powerGroup = t('server.PowerGroup')
    const actions = hotkeys
      .filter(({ hiddenInPalette }) => !hiddenInPalette)
      .map((hotkey) => {
        const { label, group, icon, keys, danger, run, isContextual = false } = hotkey
        // Without spaces: it is part of the id of an element.
        const id = `action-${hotkey.keys === undefined ? hotkey.id : hotkey.keys.replaceAll(' ', '-')}`
        return { isContextual, command: { id, label, group, icon, run, keys, danger } }
      })
    // A server that cannot do what was asked for, because it is off, is found all the same.
    const verbs = Object.values(powerDisplays)
      .map(({ label }) => t(label))
      .join(' ')
    const serverCommands = servers.map((server) => ({
      id: `server-${server.id}`,
      serverId: server.id,
      label: server.name,
      detail: getAddress(server),
      keywords: verbs,
      group: t('shell.Servers'),
      icon: <StatusIcon state={states.get(server.id) ?? 'unknown'} named />,
      run: () => void navigate(`/server/${server.id}`),
    }))
    if (other) return [...serverActions, ...serverCommands.filter(({ serverId }) => serverId === other.id)]
    const ofPage = actions.filter(({ isContextual }) => isContextual && isPage).map(({ command }) => command)
    return [
      ...ofPage.filter(({ group }) => group === powerGroup),
      ...ofPage.filter(({ group }) => group !== powerGroup),
      ...(query.trim() === '' ? serverCommands.slice(0, maxServersWithoutQuery) : serverCommands),
      ...serverActions,
      ...actions.filter(({ isContextual }) => !isContextual).map(({ command }) => command),
      ...resources,
      ...pages,
    ]
  }, [hotkeys, servers, states, serverActions, resources, pages, t, navigate, query, other, isPage])
}

/** The servers named in a query such as "stop trains". */
function findNamedServers(servers: readonly ServerView[], query: string): readonly ServerView[] {
  const words = queryWords(query)
  if (words.length < 2) return noServers
  return servers.filter(({ name }) => words.some((word) => matchScore(name, word) > 0)).slice(0, maxServersWithActions)
}
const noServers: readonly ServerView[] = []

/** With a query such as `> save-all`: sends it to the console of the server. */
function useConsoleCommand(server: ServerView | undefined, query: string): Command | undefined {
  const t = useT()
  const send = useAction(
    ({ id, text }: { id: string; name: string; text: string }) => request(sendCommand, { params: { id }, body: text }),
    {
      onSuccess: (_, { name }) => toast.success(t('palette.Sent', { name })),
    },
  )
  const text = query.startsWith('>') ? query.slice(1).trim() : ''
  if (!server || text === '') return undefined
  const { id, name } = server
  return {
    id: 'send',
    label: text,
    group: t('palette.SendTo', { name }),
    icon: <IconTerminal2 size={18} aria-hidden />,
    run: () => void send.mutate({ id, name, text }),
  }
}

/** The power actions of some servers. */
function useServerActions(matching: readonly ServerView[]): readonly Command[] {
  const t = useT()
  const confirmPower = useConfirmPower()
  const ids = matching.map(({ id }) => id)
  const { usage } = useServerUsage(ids)
  const power = useListPower(usage)
  const can = useServerPermissions(ids)

  const run = async (server: ServerView, action: PowerAction) => {
    if (!(await confirmPower(server, action, usage.get(server.id)?.status))) return
    if (await power.run(server, action)) toast.success(t(`palette.Done_${action}`, { name: server.name }))
  }
  return matching.flatMap((server) => {
    const status = usage.get(server.id)?.status
    const displayed = power.getStatus(server.id)
    const actions = getAvailableActions(displayed, status, (permission) => can(server.id, permission) === true)
    return actions.map((action): Command => {
      const { Icon } = powerDisplays[action]
      return {
        id: `server-${server.id}-${action}`,
        label: t(getNamedPowerLabel(action, displayed), { name: server.name }),
        group: t('shell.Servers'),
        icon: <Icon size={18} aria-hidden />,
        danger: action === 'kill' || action === 'cancelInstall',
        run: () => void run(server, action),
      }
    })
  })
}

/** The loaded servers; when there are more, also those that the panel finds. */
function useServers(query: string): readonly ServerView[] {
  const { servers, total = 0 } = useServerList()
  const [debouncedQuery] = useDebouncedValue(query.trim(), 150)
  const hasMore = total > servers.length
  const words = queryWords(debouncedQuery)
  const found = [
    useFoundServers(debouncedQuery, hasMore),
    // "stop voice", and in other languages "voice stop".
    useFoundServers(words.slice(1).join(' '), hasMore),
    useFoundServers(words.slice(0, -1).join(' '), hasMore),
  ]
  const [whole, withoutFirst, withoutLast] = found
  return useMemo(() => {
    const all = [...servers, ...(whole ?? noServers), ...(withoutFirst ?? noServers), ...(withoutLast ?? noServers)]
    return [...new Map(all.map((server) => [server.id, server])).values()]
  }, [servers, whole, withoutFirst, withoutLast])
}

function useFoundServers(name: string, isWanted: boolean): readonly ServerView[] | undefined {
  const found = useApiQuery(
    listServers,
    { query: { name: `*${name}*`, limit: 20 } },
    { enabled: isWanted && name.length > 1, placeholderData: keepPreviousData },
  )
  return name.length > 1 ? found.data?.servers : undefined
}
