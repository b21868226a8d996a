import { grants } from '@innkeeper/contract/permissions'
import { ActionIcon } from '@mantine/core'
import { useMediaQuery } from '@mantine/hooks'
import {
  IconActivity,
  IconArrowLeft,
  IconChevronRight,
  IconKeyboard,
  IconLogout,
  IconMenu2,
  IconMoon,
  IconSearch,
  IconSun,
  IconUserCircle,
} from '@tabler/icons-react'
import { useIsFetching } from '@tanstack/react-query'
import { use, useCallback, useEffect, useMemo, useRef, useState } from 'react'
import { Link, Outlet, useLocation, useMatches, useNavigate } from 'react-router'
import { SchemeToggle, useScheme } from '../features/appearance/scheme.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { UploadsProvider } from '../features/uploads/uploads-provider.tsx'
import { UnsavedChangesProvider, useLogOut } from '../forms/unsaved-changes.tsx'
import { useHotkeys, useShortcut } from '../hotkeys/hotkeys.tsx'
import { SequenceHint } from '../hotkeys/sequence-hint.tsx'
import { useT } from '../i18n/i18n.tsx'
import { usePreference } from '../session/preferences.tsx'
import { useSession } from '../session/session.tsx'
import { ConfirmProvider } from '../ui/confirm-provider.tsx'
import { lazyOverlay } from '../ui/lazy-overlay.tsx'
import { Logo } from '../ui/logo.tsx'
import { BrandContext, LayoutContext, useIsPhone } from '../ui/page.tsx'
import { Shortcut } from '../ui/shortcut.tsx'
import { TooltipLayer } from '../ui/tooltip-layer.tsx'
import { captureKeysForDialog } from '../ui/type-ahead.ts'
import { useWhenIdle } from '../ui/use-idle.ts'
import { ConnectionNotice } from './connection-notice.tsx'
import { isActive, navItems } from './nav-items.tsx'
import { Navigation } from './navigation.tsx'
import type { RouteHandle } from './routes.tsx'
import classes from './shell.module.css'

const loadPalette = async () => (await import('./command-palette.tsx')).CommandPalette
const Palette = lazyOverlay(loadPalette)
const PhoneDrawer = lazyOverlay(async () => (await import('./phone-drawer.tsx')).PhoneDrawer)
const loadShortcuts = async () => (await import('./shortcuts-dialog.tsx')).ShortcutsDialog
const ShortcutSheet = lazyOverlay(loadShortcuts)

/** The frame around every page for people who are logged in. */
export function Shell() {
  const t = useT()
  const isPhone = useIsPhone()
  const [title, setTitle] = useState<string>()
  const [phoneActions, setPhoneActions] = useState<HTMLElement | null>(null)
  const frame = useMemo(() => ({ setTitle, phoneActions }), [phoneActions])
  const handle = useHandle()
  const isTablet = useMediaQuery('(max-width: 61.99em)', false, { getInitialValueInEffect: false })
  const [drawer, setDrawer] = usePreference('drawer')
  const isRail = drawer === undefined || drawer === '' ? isTablet === true : drawer === 'rail'

  return (
    <LayoutContext value={frame}>
      <ConfirmProvider>
        <UnsavedChangesProvider>
          <a className={classes.skip} href="#content">
            {t('shell.SkipToContent')}
          </a>
          <div className={classes.shell} {...(isRail && !isPhone ? { 'data-rail': true } : {})}>
            <header className={classes.top}>
              {isPhone ? (
                <PhoneTop title={title} parent={handle.parent} slot={setPhoneActions} />
              ) : (
                <WideTop title={title} parent={handle.parent} />
              )}
              <FetchProgress />
            </header>
            <div className={classes.connection}>
              <ConnectionNotice isSaidByPage={handle.saysUnreachable === true} />
            </div>
            {!isPhone && <Navigation isRail={isRail} onCollapse={() => setDrawer(isRail ? 'wide' : 'rail')} />}
            <main id="content" className={classes.main} tabIndex={-1}>
              <UploadsProvider>
                <Outlet />
              </UploadsProvider>
            </main>
            {isPhone && !handle.hasOwnBottomBar && <BottomBar />}
          </div>
          <GlobalShortcuts />
          <TooltipLayer />
        </UnsavedChangesProvider>
      </ConfirmProvider>
    </LayoutContext>
  )
}

function useHandle(): RouteHandle {
  const handle = useMatches().at(-1)?.handle
  return (handle as RouteHandle | undefined) ?? {}
}

interface TopProps {
  readonly title: string | undefined
  readonly parent: RouteHandle['parent']
}

function WideTop({ title, parent }: TopProps) {
  const t = useT()
  const brand = use(BrandContext)
  return (
    <>
      <Link to="/" className={classes.brand}>
        <Logo />
        <span>{brand}</span>
      </Link>
      <nav className={classes.crumbs} aria-label={t('shell.Breadcrumb')}>
        <ol>
          {parent && (
            <li>
              <Link to={parent.path}>{t(parent.title)}</Link>
              <IconChevronRight size={14} aria-hidden data-flip />
            </li>
          )}
          {title && (
            <li>
              <span className={classes.here} aria-current="page">
                {title}
              </span>
            </li>
          )}
        </ol>
      </nav>
      <CommandButton />
      <ShortcutsButton />
      <SchemeToggle />
      <LanguageButton />
    </>
  )
}

function PhoneTop({ title, parent, slot }: TopProps & { slot: (element: HTMLElement | null) => void }) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const { pathname } = useLocation()
  const openDrawer = () => {
    setWasOpened(true)
    setIsOpen(true)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: arriving anywhere closes the drawer
  useEffect(() => setIsOpen(false), [pathname])

  return (
    <>
      {parent ? (
        <ActionIcon
          size={44}
          component={Link}
          to={parent.path}
          aria-label={t('shell.BackTo', { page: t(parent.title) })}
        >
          <IconArrowLeft size={22} aria-hidden data-flip />
        </ActionIcon>
      ) : (
        <ActionIcon size={44} aria-label={t('shell.Menu')} aria-expanded={isOpen} onClick={openDrawer}>
          <IconMenu2 size={22} aria-hidden />
        </ActionIcon>
      )}
      <div className={classes.title} aria-hidden>
        {!parent && <Logo />}
        <span>{title}</span>
      </div>
      <div className={classes.phoneActions} ref={slot} />
      {wasOpened && <PhoneDrawer opened={isOpen} onClose={() => setIsOpen(false)} />}
    </>
  )
}

function BottomBar() {
  const t = useT()
  const { pathname } = useLocation()
  const { scopes } = useSession()
  return (
    <nav className={classes.bottom} aria-label={t('shell.Main')}>
      {navItems
        .filter(({ scope, desktopOnly }) => grants(scopes, scope) && !desktopOnly)
        .map(({ Icon, ...place }) => (
          <Link key={place.path} to={place.path} aria-current={isActive(place, pathname) ? 'page' : undefined}>
            <Icon size={22} aria-hidden />
            {t(place.text)}
          </Link>
        ))}
      <Link to="/account" aria-current={pathname === '/account' ? 'page' : undefined}>
        <IconUserCircle size={22} aria-hidden />
        {t('shell.Account')}
      </Link>
    </nav>
  )
}

/** A thin line while something is loaded again; what polls in the background does not count. */
function FetchProgress() {
  const fetching = useIsFetching({
    predicate: ({ state, meta }) => meta?.quiet !== true && state.data !== undefined,
  })
  return fetching > 0 ? <div className={classes.progress} /> : null
}

const openPaletteEvent = 'innkeeper:open-palette'
const openShortcutsEvent = 'innkeeper:open-shortcuts'
const open = (event: string) => window.dispatchEvent(new Event(event))

function CommandButton() {
  const t = useT()
  return (
    <button
      type="button"
      className={classes.command}
      onClick={() => open(openPaletteEvent)}
      // A failure is reported when the palette is opened.
      onPointerEnter={() => void loadPalette().catch(() => undefined)}
    >
      <IconSearch size={15} aria-hidden />
      <span>{t('shell.Command')}</span>
      <span>
        <Shortcut keys="Mod K" />
      </span>
    </button>
  )
}

function ShortcutsButton() {
  const t = useT()
  return (
    <ActionIcon
      aria-label={t('shell.Shortcuts')}
      data-tip={t('shell.Shortcuts')}
      onClick={() => open(openShortcutsEvent)}
    >
      <IconKeyboard size={19} aria-hidden />
    </ActionIcon>
  )
}

/** What can be done everywhere, and where it shows: hint, palette and sheet. */
function GlobalShortcuts() {
  const t = useT()
  const goTo = useNavigate()
  const { scopes } = useSession()
  const logOut = useLogOut()
  const { shown, toggle } = useScheme()
  const palette = useOverlay(openPaletteEvent)
  const shortcuts = useOverlay(openShortcutsEvent)
  useShortcut('$mod+k', palette.toggle)
  useWhenIdle(loadPalette)
  useWhenIdle(loadShortcuts)

  useHotkeys([
    ...navItems.map(({ path, text: name, keys, scope, Icon }) => ({
      keys,
      label: t(name),
      group: t('hotkeys.GoTo'),
      icon: <Icon size={18} aria-hidden />,
      enabled: grants(scopes, scope),
      run: () => void goTo(path),
    })),
    {
      keys: 'g a',
      label: t('shell.Account'),
      group: t('hotkeys.GoTo'),
      icon: <IconUserCircle size={18} aria-hidden />,
      run: () => void goTo('/account'),
    },
    {
      label: t('activity.Title'),
      group: t('hotkeys.GoTo'),
      icon: <IconActivity size={18} aria-hidden />,
      enabled: grants(scopes, 'servers.admin'),
      run: () => void goTo('/activity'),
    },
    {
      keys: '?',
      label: t('shell.Shortcuts'),
      group: t('hotkeys.Anywhere'),
      icon: <IconKeyboard size={18} aria-hidden />,
      run: shortcuts.open,
    },
    {
      label: t(shown === 'dark' ? 'shell.SwitchToLight' : 'shell.SwitchToDark'),
      group: t('hotkeys.Anywhere'),
      icon: shown === 'dark' ? <IconSun size={18} aria-hidden /> : <IconMoon size={18} aria-hidden />,
      run: toggle,
    },
    {
      label: t('shell.LogOut'),
      group: t('hotkeys.Anywhere'),
      icon: <IconLogout size={18} aria-hidden data-flip />,
      run: logOut,
    },
  ])

  return (
    <>
      <SequenceHint />
      {palette.wasOpened && <Palette opened={palette.isOpen} onClose={palette.close} />}
      {shortcuts.wasOpened && <ShortcutSheet opened={shortcuts.isOpen} onClose={shortcuts.close} />}
    </>
  )
}

/** An overlay that a window event opens; loaded when it is first wanted. Keys typed meanwhile are meant for it. */
function useOverlay(event: string) {
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
  const toggle = () => (isOpen ? close() : open())
  useEffect(() => {
    window.addEventListener(event, open)
    return () => window.removeEventListener(event, open)
  }, [event, open])
  return { isOpen, wasOpened, open, close, toggle }
}
