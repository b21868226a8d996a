import { hasScope } from '@innkeeper/contract/api/permissions'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { AppShell, Box } from '@mantine/core'
import { useMediaQuery, useNetwork } from '@mantine/hooks'
import { IconBook, IconKeyboard, IconLogout, IconMoon, IconSun, IconUserCircle } from '@tabler/icons-react'
import { useIsFetching, useQueryClient } from '@tanstack/react-query'
import { useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Outlet, useMatches, useNavigate } from 'react-router'
import { isPanelUnreachable } from '../api/request.ts'
import { useApiQuery } from '../api/use-api.ts'
import { useColorSchemePreference } from '../features/appearance/color-scheme.tsx'
import { UploadsProvider } from '../features/uploads/uploads-provider.tsx'
import { LeaveGuard, useSignOut } from '../forms/unsaved-changes.tsx'
import { HotkeysProvider, useHotkeys } from '../hotkeys/hotkeys.tsx'
import { captureKeysForDialog } from '../hotkeys/key-capture.ts'
import { useShortcut } from '../hotkeys/use-shortcut.ts'
import { useT } from '../i18n/i18n.tsx'
import { useFormatters } from '../i18n/use-formatters.ts'
import { usePreference } from '../session/preferences.tsx'
import { useSession } from '../session/session.tsx'
import { Alert } from '../ui/feedback/alert.tsx'
import { LayoutContext, type PageTitle, useIsPhone } from '../ui/layout/page.tsx'
import { lazyOverlay } from '../ui/loading/lazy-overlay.tsx'
import { lazyView } from '../ui/loading/lazy-view.tsx'
import { usePreload } from '../ui/loading/use-preload.ts'
import { TooltipLayer } from '../ui/overlays/tooltip-layer.tsx'
import { loadReasons } from '../ui/text/reason-text.ts'
import { DesktopHeader, PhoneHeader } from './header.tsx'
import { navItems } from './nav-items.tsx'
import { BottomBar, Navbar } from './navbar.tsx'
import type { RouteHandle } from './route-handle.ts'
import classes from './shell.module.css'

const loadPalette = async () => (await import('./command-palette.tsx')).CommandPalette
const CommandPalette = lazyOverlay(loadPalette)
const loadShortcuts = async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog
const ShortcutsDialog = lazyOverlay(loadShortcuts)
const SecondFactor = lazyView(async () => (await import('./second-factor.tsx')).SecondFactor)
const SequenceHint = lazyOverlay(async () => (await import('../hotkeys/sequence-hint.tsx')).SequenceHint)

/** The layout of all pages for signed-in users: top bar, navigation, content, and on a phone a bottom bar. */
export function Shell() {
  const t = useT()
  const [title, setTitle] = useState<PageTitle>()
  const [actions, setActions] = useState<HTMLElement | null>(null)
  const [subtitle, setSubtitle] = useState<HTMLElement | null>(null)
  const layout = useMemo(() => ({ setTitle, phoneSlots: { actions, subtitle } }), [actions, subtitle])

  return (
    <HotkeysProvider>
      <LayoutContext value={layout}>
        <LeaveGuard>
          <a className={classes.skipLink} href="#content">
            {t('shell.SkipToContent')}
          </a>
          <Frame title={title} actionsRef={setActions} subtitleRef={setSubtitle} />
          <SequenceHint />
          <TooltipLayer />
        </LeaveGuard>
      </LayoutContext>
    </HotkeysProvider>
  )
}

interface FrameProps {
  readonly title: PageTitle | undefined
  /** These get the elements of a phone's top bar that pages render into. */
  readonly actionsRef: (element: HTMLElement | null) => void
  readonly subtitleRef: (element: HTMLElement | null) => void
}

function Frame({ title, actionsRef, subtitleRef }: FrameProps) {
  const isPhone = useIsPhone()
  const isTablet = useMediaQuery('(max-width: 61.99em)', false, { getInitialValueInEffect: false })
  const [drawer = '', setDrawer] = usePreference('drawer')
  const isRail = drawer === '' ? isTablet : drawer === 'rail'
  const { parent, hasOwnBottomBar = false, showsUnreachable = false } = useRouteHandle()
  const palette = useOverlay()
  const shortcuts = useOverlay()
  useShortcut('mod+k', palette.toggle)
  useGlobalHotkeys({ onOpenShortcuts: shortcuts.open })
  usePreload(loadPalette)
  usePreload(loadShortcuts)
  usePreload(loadReasons)
  const hasBottomBar = isPhone && !hasOwnBottomBar

  return (
    <AppShell
      mode="static"
      className={classes.shell}
      header={{ height: 'auto' }}
      // A phone has no navbar. Below its breakpoint, which includes 768 px for `sm`, a navbar would be as wide as the window.
      {...(isPhone ? {} : { navbar: { width: isRail ? '3.75rem' : '14.5rem', breakpoint: 'xs' } })}
      {...(hasBottomBar ? { footer: { height: 'auto' } } : {})}
    >
      <AppShell.Header>
        <Box pos="relative">
          {isPhone ? (
            <PhoneHeader title={title} parent={parent} actionsRef={actionsRef} subtitleRef={subtitleRef} />
          ) : (
            <DesktopHeader
              title={title}
              parent={parent}
              onOpenPalette={palette.open}
              // A failure is reported when the palette is opened.
              onPreloadPalette={() => void loadPalette().catch(() => undefined)}
              onOpenShortcuts={shortcuts.open}
            />
          )}
          <FetchProgress />
        </Box>
        <div className={classes.connection}>
          <ConnectionNotice isShownByPage={showsUnreachable} />
        </div>
      </AppShell.Header>
      {!isPhone && <Navbar isRail={isRail} onToggleRail={() => setDrawer(isRail ? 'wide' : 'rail')} />}
      <AppShell.Main id="content" className={classes.main} tabIndex={-1}>
        <UploadsProvider>
          <Content />
        </UploadsProvider>
      </AppShell.Main>
      {hasBottomBar && <BottomBar />}
      {palette.wasOpened && <CommandPalette opened={palette.isOpen} onClose={palette.close} />}
      {shortcuts.wasOpened && <ShortcutsDialog opened={shortcuts.isOpen} onClose={shortcuts.close} />}
    </AppShell>
  )
}

/** The page. Users who must get a second factor are reminded above it, or led through the set-up in its place. */
function Content() {
  const { self } = useSession()
  const [wasDue, setWasDue] = useState(false)
  if (self?.secondFactor && !wasDue) setWasDue(true)
  const page = <Outlet />
  return wasDue ? <SecondFactor>{page}</SecondFactor> : page
}

function useRouteHandle(): RouteHandle {
  const handle = useMatches().at(-1)?.handle
  return (handle as RouteHandle | undefined) ?? {}
}

/** A thin line below the top bar while something is loaded again, except by polling. */
function FetchProgress() {
  const fetching = useIsFetching({
    predicate: ({ state, meta }) => meta?.quiet !== true && state.data !== undefined,
  })
  return fetching > 0 ? <div className={classes.progress} /> : null
}

/** State of an overlay that is loaded when it is first opened. Keys typed until then are entered into it. */
function useOverlay() {
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const stopCapture = useRef<() => void>(undefined)

  const open = useCallback(() => {
    stopCapture.current = captureKeysForDialog({ onEscape: () => setIsOpen(false) })
    setWasOpened(true)
    setIsOpen(true)
  }, [])
  const close = useCallback(() => {
    stopCapture.current?.()
    setIsOpen(false)
  }, [])
  return { isOpen, wasOpened, open, close, toggle: isOpen ? close : open }
}

/** How often an unreachable panel is tried again. */
const retryMs = 5_000

interface ConnectionNoticeProps {
  /** The page shows by itself that the panel is unreachable. */
  readonly isShownByPage: boolean
}

/** Warns that a page may be out of date: the browser is offline, or the panel is unreachable. */
function ConnectionNotice({ isShownByPage }: ConnectionNoticeProps) {
  const t = useT()
  const { online } = useNetwork()
  const { timeSince } = useFormatters()
  const unreachableSince = usePanelUnreachableSince()
  if (!online)
    return (
      <Alert type="warning" role="status">
        {t('shell.Offline')}
      </Alert>
    )
  if (unreachableSince !== undefined && !isShownByPage) {
    return (
      <Alert type="warning" role="status">
        {t('server.PanelUnreachable', { time: timeSince(unreachableSince) })}
      </Alert>
    )
  }
  return null
}

/** Since when queries do not reach the panel, epoch milliseconds. When the panel is back, all queries are refetched. */
function usePanelUnreachableSince(): number | undefined {
  const queries = useQueryClient()
  const [since, setSince] = useState<number>()
  const isUnreachable = since !== undefined
  useApiQuery(getConfig, {}, { staleTime: 60_000, refetchInterval: isUnreachable ? retryMs : false })

  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== 'updated') return
        const { action } = event
        if (action.type === 'success' && action.manual !== true) setSince(undefined)
        else if (action.type === 'failed' || action.type === 'error') {
          setSince((before) => (isPanelUnreachable(action.error) ? (before ?? Date.now()) : undefined))
        }
      }),
    [queries],
  )
  useEffect(() => {
    if (!isUnreachable) return
    return () => void queries.invalidateQueries()
  }, [isUnreachable, queries])
  return since
}

/** Hotkeys and palette commands of all pages. */
function useGlobalHotkeys({ onOpenShortcuts }: { onOpenShortcuts: () => void }): void {
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
