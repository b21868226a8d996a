import type { ServerView } from '@innkeeper/contract/servers/servers'
import { Flex, Paper, Skeleton, Stack } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import { Suspense, useMemo } from 'react'
import { useSearchParams } from 'react-router'
import { ConsolePanel } from '../../features/console/console-panel.tsx'
import { usePalette } from '../../features/console/palette.ts'
import { SavedCommands } from '../../features/console/saved-commands.tsx'
import type { CommandDisabledReason, FeedStatus, TerminalSettings } from '../../features/console/use-console.ts'
import { UsageCards } from '../../features/stats/usage-cards.tsx'
import { toTerminalTheme } from '../../features/terminal/terminal-theme.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { type Connection, hasGivenUp } from '../../realtime/connection.ts'
import type { RawOutput } from '../../realtime/raw-output.ts'
import type { ServerConnection } from '../../realtime/server-connection.ts'
import { type ServerState, type StatsStore, useServerStats } from '../../realtime/use-server-connection.ts'
import { ShortcutHint } from '../../ui/keyboard/shortcut-hint.tsx'
import { lazyView } from '../../ui/loading/lazy-view.tsx'
import type { Can } from './permissions.ts'
import type { LivePage } from './use-live-page.ts'

interface ConsoleTabProps extends LivePage {
  readonly server: ServerView
  readonly can: Can
}

/** Width of the tab, in pixels, from which on the sidebar is shown. */
const sidebarMinWidth = 1_040

/** The console, with current usage and saved commands in a sidebar. */
export function ConsoleTab({ server, buffer, state, stats, can, connection, rawOutput }: ConsoleTabProps) {
  const t = useT()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const canSendCommands = can('sendServerConsole')
  const disabledReason = getDisabledReason(state)
  const isConnected = state.connection.status === 'open'
  const [isTerminalShown, showTerminal] = useTerminalParam()

  return (
    <Flex ref={ref} flex={1} gap="md" mih={0} miw={0}>
      <ConsolePanel
        server={server}
        buffer={buffer}
        feedStatus={getFeedStatus(state.connection)}
        canSendCommands={canSendCommands}
        disabledReason={disabledReason}
        onCommand={(command) => connection?.sendCommand(command)}
        {...(connection &&
          state.status?.hasTerminal && {
            terminal: {
              isShown: isTerminalShown,
              onShow: showTerminal,
              render: (settings) => (
                <ServerTerminal
                  connection={connection}
                  output={rawOutput}
                  isConnected={isConnected}
                  disabledReason={getTypingDisabledReason({ canSendCommands, isConnected, disabledReason })}
                  settings={settings}
                />
              ),
            },
          })}
        hasRoomForSidebar={width >= sidebarMinWidth}
        sidebar={({ fill, send }) => (
          <Stack
            component="aside"
            style={{ overflow: 'auto' }}
            flex="none"
            gap="sm"
            w="16.5rem"
            aria-label={t('server.AtAGlance')}
          >
            {can('viewServerStats') && <LiveUsageCards stats={stats} />}
            {canSendCommands && (
              <Paper>
                <SavedCommands
                  server={server.id}
                  isRunning={disabledReason === undefined}
                  onFill={fill}
                  onSend={send}
                />
              </Paper>
            )}
            <Flex
              style={{ whiteSpace: 'nowrap' }}
              wrap="wrap"
              columnGap="xs"
              rowGap="2xs"
              justify="space-between"
              mt="auto"
              fz="xs"
              c="var(--ik-subtle)"
              aria-hidden
            >
              <ShortcutHint text="console.HintPause" keys="c p" />
              {canSendCommands && <ShortcutHint text="console.HintInput" keys="c i" />}
              <ShortcutHint text="console.HintKeys" keys="?" />
            </Flex>
          </Stack>
        )}
      />
    </Flex>
  )
}

/** Whether the console shows the terminal: a search param, so that links and Back work. */
function useTerminalParam(): [isShown: boolean, show: (isShown: boolean) => void] {
  const [search, setSearch] = useSearchParams()
  const show = (isShown: boolean) =>
    setSearch((before) => {
      const params = new URLSearchParams(before)
      if (isShown) params.set('view', 'terminal')
      else params.delete('view')
      return params
    })
  return [search.get('view') === 'terminal', show]
}

interface Typing {
  readonly canSendCommands: boolean
  readonly isConnected: boolean
  readonly disabledReason: CommandDisabledReason | undefined
}

function getTypingDisabledReason(options: Typing): TypingDisabledReason | undefined {
  const { canSendCommands, isConnected, disabledReason } = options
  if (!canSendCommands) return 'permission'
  // Keystrokes are sent over the live connection only.
  return disabledReason ?? (isConnected ? undefined : 'connection')
}

function LiveUsageCards({ stats }: { stats: StatsStore }) {
  return <UsageCards history={useServerStats(stats)} />
}

/** Why no command can be sent now. */
function getDisabledReason({ unreachable, status }: ServerState): CommandDisabledReason | undefined {
  if (unreachable) return unreachable.host
  if (status?.running) return undefined
  return status?.state === 'offline' ? 'off' : 'busy'
}

const feedStatuses = {
  open: 'live',
  connecting: 'connecting',
  closed: 'connecting',
  failed: 'polling',
  ended: 'ended',
} as const

function getFeedStatus(connection: Connection): FeedStatus {
  return feedStatuses[hasGivenUp(connection) ? 'failed' : connection.status]
}

const TerminalView = lazyView(async () => (await import('../../features/terminal/terminal-view.tsx')).TerminalView)

/** Why nothing can be typed: no permission, no live connection, or what also keeps commands from being sent. */
type TypingDisabledReason = CommandDisabledReason | 'permission' | 'connection'

const disabledReasonTexts: Readonly<Record<TypingDisabledReason, TranslationKey>> = {
  permission: 'console.TerminalViewOnly',
  connection: 'console.TerminalNotConnected',
  off: 'console.TerminalOff',
  busy: 'console.TerminalBusy',
  node: 'server.PowerDisabledNodeUnreachable',
  panel: 'server.PowerDisabledPanelUnreachable',
}

interface ServerTerminalProps {
  readonly connection: ServerConnection
  readonly output: RawOutput
  readonly isConnected: boolean
  readonly disabledReason: TypingDisabledReason | undefined
  readonly settings: TerminalSettings
}

/** The terminal of the server, in the colors of the console. Its code is loaded when it is first opened. */
function ServerTerminal({ disabledReason, settings, ...props }: ServerTerminalProps) {
  const t = useT()
  const palette = usePalette()
  const theme = useMemo(() => toTerminalTheme(palette), [palette])
  return (
    <Suspense fallback={<Skeleton flex={1} m="sm" role="status" aria-label={t('common.Loading')} />}>
      <TerminalView
        {...props}
        {...settings}
        theme={theme}
        disabledReason={disabledReason && t(disabledReasonTexts[disabledReason])}
      />
    </Suspense>
  )
}
