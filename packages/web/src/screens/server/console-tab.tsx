import type { ServerView } from '@innkeeper/contract/servers'
import { Flex, Paper, Stack } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import type { ConsoleBuffer } from '../../features/console/buffer.ts'
import type { CommandDisabledReason } from '../../features/console/command-input.tsx'
import { ConsolePanel } from '../../features/console/console-panel.tsx'
import { SavedCommands } from '../../features/console/saved-commands.tsx'
import type { FeedStatus } from '../../features/console/toolbar.tsx'
import { UsageCards } from '../../features/stats/usage-cards.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { type Connection, hasGivenUp } from '../../realtime/connection.ts'
import { type ServerState, type StatsStore, useServerStats } from '../../realtime/use-server-connection.ts'
import { ShortcutHint } from '../../ui/shortcut-hint.tsx'
import type { Can } from './permissions.ts'
import classes from './server.module.css'

interface ConsoleTabProps {
  readonly server: ServerView
  readonly buffer: ConsoleBuffer
  readonly state: ServerState
  readonly stats: StatsStore
  readonly can: Can
  readonly onCommand: (command: string) => void
}

/** Width of the tab, in pixels, from which on the sidebar is shown. */
const sidebarMinWidth = 1_040

/** The console, with current usage and saved commands in a sidebar. */
export function ConsoleTab({ server, buffer, state, stats, can, onCommand }: ConsoleTabProps) {
  const t = useT()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const canSendCommands = can('sendServerConsole')
  const disabledReason = getDisabledReason(state)

  return (
    <Flex ref={ref} flex={1} gap="md" mih={0} miw={0}>
      <ConsolePanel
        server={server}
        buffer={buffer}
        feedStatus={getFeedStatus(state.connection)}
        canSendCommands={canSendCommands}
        disabledReason={disabledReason}
        onCommand={onCommand}
        hasRoomForSidebar={width >= sidebarMinWidth}
        sidebar={({ fill, send }) => (
          <Stack component="aside" className={classes.sidebar} gap="sm" aria-label={t('server.AtAGlance')}>
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
              className={classes.hints}
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
