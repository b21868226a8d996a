import { IconPlayerPause, IconPlayerPlay, IconTerminal2 } from '@tabler/icons-react'
import { useHotkeys } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import type { ConsoleState } from './use-console.ts'

/** The key sequences of the console. */
export function useConsoleHotkeys(state: ConsoleState): void {
  const { terminal, isTerminal, canPause, canSendCommands, togglePause, focusInput } = state
  const { isPaused } = state.view
  const t = useT()
  const shared = { group: t('server.TabConsole'), isContextual: true }
  useHotkeys([
    {
      ...shared,
      keys: 'c p',
      icon: isPaused ? <IconPlayerPlay size={18} aria-hidden /> : <IconPlayerPause size={18} aria-hidden />,
      label: t(isPaused ? 'console.Resume' : 'console.Pause'),
      enabled: !isTerminal && canPause,
      run: togglePause,
    },
    {
      ...shared,
      keys: 'c i',
      icon: <IconTerminal2 size={18} aria-hidden />,
      label: t('console.TypeCommand'),
      enabled: canSendCommands,
      run: focusInput,
    },
    {
      ...shared,
      keys: 'c t',
      icon: <IconTerminal2 size={18} aria-hidden />,
      label: t(isTerminal ? 'console.ShowConsole' : 'console.ShowTerminal'),
      enabled: terminal !== undefined,
      run: () => terminal?.onShow(!isTerminal),
    },
  ])
}
