import { ActionIcon, Anchor, Box, Breadcrumbs, Burger, Button, Group, Text } from '@mantine/core'
import { IconArrowLeft, IconChevronRight, IconKeyboard, IconSearch } from '@tabler/icons-react'
import { Suspense, use, useEffect, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { ThemeButton } from '../features/appearance/theme-button.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { Shortcut } from '../hotkeys/shortcut.tsx'
import { useT } from '../i18n/i18n.tsx'
import { Logo } from '../ui/layout/logo.tsx'
import { BrandContext, type PageTitle } from '../ui/layout/page.tsx'
import { lazyOverlay } from '../ui/loading/lazy-overlay.tsx'
import { lazyView } from '../ui/loading/lazy-view.tsx'
import type { RouteHandle } from './route-handle.ts'
import classes from './shell.module.css'

const NotificationBell = lazyView(
  async () => (await import('../features/notifications/notification-bell.tsx')).NotificationBell,
)
const PhoneDrawer = lazyOverlay(async () => (await import('./phone-drawer.tsx')).PhoneDrawer)

interface HeaderProps {
  readonly title: PageTitle | undefined
  readonly parent: RouteHandle['parent']
}

interface DesktopHeaderProps extends HeaderProps {
  readonly onOpenPalette: () => void
  readonly onPreloadPalette: () => void
  readonly onOpenShortcuts: () => void
}

export function DesktopHeader({ title, parent, onOpenPalette, onPreloadPalette, onOpenShortcuts }: DesktopHeaderProps) {
  const t = useT()
  const brand = use(BrandContext)
  const { pathname } = useLocation()
  return (
    <Group h="calc(3.25rem - 1px)" pe="sm" gap="xs" wrap="nowrap">
      <Group
        renderRoot={(props) => <Link to="/" {...props} />}
        className={classes.brand}
        gap="sm"
        wrap="nowrap"
        ps="lg"
        c="var(--ik-text)"
      >
        <Logo />
        <Text span fz="lg" lh="1.25rem" fw={600} lts="-0.01em" truncate>
          {brand}
        </Text>
      </Group>
      <Box component="nav" flex={1} miw={0} ps="sm" aria-label={t('shell.Breadcrumb')}>
        <Breadcrumbs separator={<IconChevronRight size={14} aria-hidden data-flip />} separatorMargin={6}>
          {parent && (
            <Anchor component={Link} to={parent.path} c="dimmed" fz="compact" lh="1.125rem">
              {t(parent.title)}
            </Anchor>
          )}
          {title?.section !== undefined && (
            <Anchor component={Link} to={pathname} c="dimmed" fz="compact" lh="1.125rem" truncate dir="auto">
              {title.title}
            </Anchor>
          )}
          {title && (
            <Text
              component="span"
              fz="compact"
              lh="1.125rem"
              fw={500}
              truncate
              dir="auto"
              {...(title.section !== undefined && { flex: 'none' })}
              aria-current="page"
            >
              {title.section ?? title.title}
            </Text>
          )}
        </Breadcrumbs>
      </Box>
      <ActionIcon
        variant="default"
        bg="var(--ik-body)"
        hiddenFrom="md"
        aria-label={t('common.SearchOrRun')}
        data-tip={t('common.SearchOrRun')}
        onClick={onOpenPalette}
        onPointerEnter={onPreloadPalette}
      >
        <IconSearch size={15} aria-hidden />
      </ActionIcon>
      <Button
        variant="default"
        className={classes.command}
        visibleFrom="md"
        size="xs"
        flex="none"
        miw="17.5rem"
        h={32}
        bg="var(--ik-body)"
        c="var(--ik-subtle)"
        fz="compact"
        justify="space-between"
        leftSection={<IconSearch size={15} aria-hidden />}
        rightSection={<Shortcut keys="Mod K" />}
        onClick={onOpenPalette}
        onPointerEnter={onPreloadPalette}
      >
        {t('common.SearchOrRun')}
      </Button>
      <ActionIcon
        aria-label={t('common.KeyboardShortcuts')}
        data-tip={t('common.KeyboardShortcuts')}
        onClick={onOpenShortcuts}
      >
        <IconKeyboard size={19} aria-hidden />
      </ActionIcon>
      <Suspense fallback={<Box w={32} />}>
        <NotificationBell />
      </Suspense>
      <ThemeButton />
      <LanguageButton />
    </Group>
  )
}

interface PhoneHeaderProps extends HeaderProps {
  /** Pages render their actions and what stands below the title into these elements. */
  readonly actionsRef: (element: HTMLElement | null) => void
  readonly subtitleRef: (element: HTMLElement | null) => void
}

export function PhoneHeader({ title, parent, actionsRef, subtitleRef }: PhoneHeaderProps) {
  const t = useT()
  const [isOpen, setIsOpen] = useState(false)
  const [wasOpened, setWasOpened] = useState(false)
  const { pathname } = useLocation()
  const openDrawer = () => {
    setWasOpened(true)
    setIsOpen(true)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: navigation closes the drawer
  useEffect(() => setIsOpen(false), [pathname])

  return (
    <Group h="calc(3.5rem - 1px)" px="xs" gap="2xs" wrap="nowrap">
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
        <Burger
          size={18}
          lineSize={1.6}
          color="var(--ik-dim)"
          w={44}
          h={44}
          p="sm"
          opened={false}
          aria-label={t('shell.Menu')}
          aria-expanded={isOpen}
          onClick={openDrawer}
        />
      )}
      <Box flex={1} miw={0}>
        <Group gap="xs" wrap="nowrap" fz="lg" lh="1.5rem" fw={600} aria-hidden>
          {!parent && <Logo />}
          <Text component="span" inherit truncate dir="auto">
            {title?.title}
          </Text>
        </Group>
        <div ref={subtitleRef} />
      </Box>
      <Group gap="2xs" wrap="nowrap" ref={actionsRef} />
      {wasOpened && <PhoneDrawer opened={isOpen} onClose={() => setIsOpen(false)} />}
    </Group>
  )
}
