import { hasScope } from '@innkeeper/contract/api/permissions'
import { IconBook, IconKeyboard, IconLogout, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { useColorSchemePreference } from '../features/appearance/color-scheme.tsx'
import { useSignOut } from '../forms/unsaved-changes.tsx'
import { useHotkeys } from '../hotkeys/hotkeys.tsx'
import { useT } from '../i18n/i18n.tsx'
import { useSession } from '../session/session.tsx'
import { navItems } from './nav-items.tsx'

/** Hotkeys and palette commands of all pages. */
export function useGlobalHotkeys({ onOpenShortcuts }: { onOpenShortcuts: () => void }): void {
  const t = useT()
  const navigate = useNavigate()
  const { scopes } = useSession()
  const signOut = useSignOut()
  const { computed, toggle } = useColorSchemePreference()
  const isDark = computed === 'dark'

  useHotkeys([
    ...navItems.map(({ path, label, keys, scope, Icon }) => ({
      ...(keys === undefined ? { id: path } : { keys }),
      label: t(label),
      group: t('hotkeys.GoTo'),
      icon: <Icon size={18} aria-hidden />,
      enabled: hasScope(scopes, scope),
      run: () => void navigate(path),
    })),
    {
      keys: 'g a',
      label: t('shell.Account'),
      group: t('hotkeys.GoTo'),
      icon: <IconUserCircle size={18} aria-hidden />,
      run: () => void navigate('/account'),
    },
    {
      id: 'docs',
      label: t('docs.Title'),
      group: t('hotkeys.GoTo'),
      icon: <IconBook size={18} aria-hidden />,
      run: () => void navigate('/docs'),
    },
    {
      keys: '?',
      label: t('common.KeyboardShortcuts'),
      group: t('hotkeys.Anywhere'),
      icon: <IconKeyboard size={18} aria-hidden />,
      run: onOpenShortcuts,
    },
    {
      id: 'color-scheme',
      label: t(isDark ? 'shell.SwitchToLight' : 'shell.SwitchToDark'),
      group: t('hotkeys.Anywhere'),
      icon: isDark ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />,
      run: toggle,
    },
    {
      id: 'sign-out',
      label: t('shell.SignOut'),
      group: t('hotkeys.Anywhere'),
      icon: <IconLogout size={18} aria-hidden data-flip />,
      run: signOut,
    },
  ])
}
