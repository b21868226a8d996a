import { IconPlayerPause, IconPlayerPlay, IconTerminal2 } from '@tabler/icons-react'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import type { ConsoleViewType } from './console-toolbar.tsx'

interface ConsoleHotkeysOptions {
  readonly view: ConsoleViewType
  readonly isPaused: boolean
  readonly canPause: boolean
  readonly canSendCommands: boolean
  readonly onPause: () => void
  readonly onType: () => void
  /** Missing when the server does not run on a terminal. */
  readonly onShowTerminal: ((isShown: boolean) => void) | undefined
}

/** The key sequences of the console. */
export function useConsoleHotkeys(options: ConsoleHotkeysOptions): void {
  const { view, isPaused, canPause, canSendCommands, onPause, onType, onShowTerminal } = options
  const t = useT()
  const shared = { group: t('server.TabConsole'), isContextual: true }
  useHotkeys([
    {
      ...shared,
      keys: 'c p',
      icon: isPaused ? <IconPlayerPlay size={18} aria-hidden /> : <IconPlayerPause size={18} aria-hidden />,
      label: t(isPaused ? 'console.Resume' : 'console.Pause'),
      enabled: view === 'console' && canPause,
      run: onPause,
    },
    {
      ...shared,
      keys: 'c i',
      icon: <IconTerminal2 size={18} aria-hidden />,
      label: t('console.TypeCommand'),
      enabled: canSendCommands,
      run: onType,
    },
    {
      ...shared,
      keys: 'c t',
      icon: <IconTerminal2 size={18} aria-hidden />,
      label: t(view === 'console' ? 'console.ShowTerminal' : 'console.ShowConsole'),
      enabled: onShowTerminal !== undefined,
      run: () => onShowTerminal?.(view === 'console'),
    },
  ])
}
