import { Skeleton } from '@mantine/core'
import { Suspense, useMemo } from 'react'
import type { CommandDisabledReason } from '../../features/console/command-input.tsx'
import type { TerminalSettings } from '../../features/console/console-panel.tsx'
import { usePalette } from '../../features/console/palette.ts'
import { toTerminalTheme } from '../../features/terminal/terminal-theme.ts'
import { useT } from '../../i18n/i18n.tsx'
import type { TranslationKey } from '../../i18n/translation-key.ts'
import type { RawOutput } from '../../realtime/raw-output.ts'
import type { ServerConnection } from '../../realtime/server-connection.ts'
import { lazyView } from '../../ui/loading/lazy-view.tsx'

const TerminalView = lazyView(async () => (await import('../../features/terminal/terminal-view.tsx')).TerminalView)

/** Why nothing can be typed: no permission, no live connection, or what also keeps commands from being sent. */
export type TypingDisabledReason = CommandDisabledReason | 'permission' | 'connection'

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
export function ServerTerminal({ disabledReason, settings, ...props }: ServerTerminalProps) {
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
