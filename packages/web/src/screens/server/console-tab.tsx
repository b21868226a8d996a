import type { ServerView } from '@innkeeper/contract/servers'
import { Paper } from '@mantine/core'
import { useElementSize } from '@mantine/hooks'
import type { ConsoleBuffer } from '../../features/console/buffer.ts'
import type { CommandObstacle } from '../../features/console/command-input.tsx'
import { ConsolePanel } from '../../features/console/console-panel.tsx'
import { SavedCommands } from '../../features/console/saved-commands.tsx'
import type { Feeding } from '../../features/console/toolbar.tsx'
import { UsageCards } from '../../features/stats/usage-cards.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { type Connection, hasGivenUp } from '../../realtime/connection.ts'
import type { ServerSnapshot } from '../../realtime/server-connection.ts'
import { Shortcut } from '../../ui/shortcut.tsx'
import type { May } from './rights.ts'
import classes from './server.module.css'

interface ConsoleTabProps {
  readonly server: ServerView
  readonly buffer: ConsoleBuffer
  readonly view: ServerSnapshot
  readonly can: May
  readonly onCommand: (command: string) => void
}

/** From this width on there is room beside the console. */
const railFrom = 1_040

/** The console, with what is worth a glance beside it. */
export function ConsoleTab({ server, buffer, view, can: may, onCommand }: ConsoleTabProps) {
  const t = useT()
  const { ref, width } = useElementSize<HTMLDivElement>()
  const mayCommand = may('sendServerConsole')
  const obstacle = obstacleTo(view)
  const isRunning = obstacle === undefined

  return (
    <div ref={ref} className={classes.console}>
      <ConsolePanel
        server={server}
        buffer={buffer}
        feeding={feedingOf(view.connection)}
        mayCommand={mayCommand}
        obstacle={obstacle}
        onCommand={onCommand}
        hasRoomForRail={width >= railFrom}
        rail={({ fill, send }) => (
          <aside className={classes.rail} aria-label={t('server.AtAGlance')}>
            {may('viewServerStats') && <UsageCards history={view.stats} />}
            {mayCommand && (
              <Paper>
                <SavedCommands server={server.id} isRunning={isRunning} onFill={fill} onSend={send} />
              </Paper>
            )}
            <p className={classes.hints} aria-hidden="true">
              <span>
                <Shortcut keys="c p" /> {t('console.HintPause')}
              </span>
              {mayCommand && (
                <span>
                  <Shortcut keys="c i" /> {t('console.HintInput')}
                </span>
              )}
              <span>
                <Shortcut keys="?" /> {t('console.HintKeys')}
              </span>
            </p>
          </aside>
        )}
      />
    </div>
  )
}

/** Why no command can be sent now. */
function obstacleTo({ unreachable, status }: ServerSnapshot): CommandObstacle | undefined {
  if (unreachable) return unreachable.who
  if (status?.running) return undefined
  return status?.state === 'offline' ? 'off' : 'busy'
}

function feedingOf(connection: Connection): Feeding {
  const is = hasGivenUp(connection) ? 'failed' : connection.status
  return ({ open: 'live', connecting: 'connecting', closed: 'connecting', failed: 'polling', ended: 'ended' } as const)[
    is
  ]
}
