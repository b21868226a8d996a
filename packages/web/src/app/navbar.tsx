import { hasScope } from '@innkeeper/contract/api/permissions'
import { listNodes } from '@innkeeper/contract/nodes/nodes'
import { AppShell, Avatar, Divider, NavLink, Stack, Text } from '@mantine/core'
import {
  IconBook,
  IconLayoutSidebarLeftCollapse,
  IconLayoutSidebarLeftExpand,
  IconLogout,
  IconUserCircle,
} from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { Link, useLocation } from 'react-router'
import { useApiQuery } from '../api/use-api.ts'
import { useFirstServers, usePinnedServersWithStatus } from '../features/servers/use-server-list.ts'
import { useSignOut } from '../forms/unsaved-changes.tsx'
import { useT } from '../i18n/i18n.tsx'
import { useFormatters } from '../i18n/use-formatters.ts'
import { useSession } from '../session/session.tsx'
import { StatusIcon } from '../ui/feedback/status.tsx'
import bottomBar from '../ui/layout/bottom-bar.module.css'
import { isActive, navItems } from './nav-items.tsx'
import classes from './shell.module.css'

interface NavbarProps {
  /** Only icons, with labels in tooltips. */
  readonly isRail: boolean
  readonly onToggleRail: () => void
}

/** The navigation beside the content of a wide window. */
export function Navbar({ isRail, onToggleRail }: NavbarProps) {
  const t = useT()
  return (
    <AppShell.Navbar className={classes.nav} aria-label={t('shell.Main')} {...(isRail ? { 'data-rail': true } : {})}>
      <NavbarLinks isRail={isRail} onToggleRail={onToggleRail} />
    </AppShell.Navbar>
  )
}

/** Links to the pages of the panel, to pinned servers and to the account. */
export function NavbarLinks({ isRail = false, onToggleRail }: Partial<NavbarProps>) {
  const t = useT()
  const { pathname } = useLocation()
  const { self, scopes } = useSession()
  const signOut = useSignOut()
  const counts = useCounts()
  const pinned = usePinnedServersWithStatus()
  const isPinnedPage = pinned.some(({ id }) => pathname === `/server/${id}`)
  const ToggleIcon = isRail ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse

  return (
    <Stack gap="3xs" h="100%">
      {navItems
        .filter(({ scope }) => hasScope(scopes, scope))
        .map((item) => (
          <NavEntry
            key={item.path}
            isRail={isRail}
            icon={<item.Icon size={19} aria-hidden />}
            label={t(item.label)}
            count={counts[item.path]}
            to={item.path}
            isCurrent={isActive(item, pathname) && !isPinnedPage}
            containsCurrent={isActive(item, pathname) && isPinnedPage}
          />
        ))}

      {pinned.length > 0 && (
        <Text
          component="div"
          className={classes.groupLabel}
          pt="lg"
          px="sm"
          pb="xs"
          c="var(--ik-subtle)"
          fz="xs"
          lh="1rem"
          fw={500}
        >
          {t('shell.Pinned')}
        </Text>
      )}
      {pinned.map(({ id, name, status }) => (
        <NavEntry
          key={id}
          isRail={isRail}
          isSmall
          icon={<StatusIcon state={status} size={10} named />}
          label={name}
          to={`/server/${id}`}
          isCurrent={pathname === `/server/${id}`}
        />
      ))}

      <Divider mt="auto" mb="xs" />
      <NavEntry
        isRail={isRail}
        icon={<IconBook size={19} aria-hidden />}
        label={t('docs.Title')}
        to="/docs"
        isCurrent={pathname.startsWith('/docs')}
      />
      <NavEntry
        isRail={isRail}
        icon={<Avatar aria-hidden>{(self?.username ?? '').slice(0, 2).toUpperCase()}</Avatar>}
        label={self?.username ?? t('shell.Account')}
        tooltip={t('shell.Account')}
        to="/account"
        isCurrent={pathname === '/account'}
      />
      {onToggleRail && (
        <NavEntry
          isRail={isRail}
          icon={<ToggleIcon size={19} aria-hidden data-flip />}
          label={t(isRail ? 'shell.Expand' : 'shell.Collapse')}
          onClick={onToggleRail}
          isExpanded={!isRail}
        />
      )}
      <NavEntry
        isRail={isRail}
        icon={<IconLogout size={19} aria-hidden data-flip />}
        label={t('shell.SignOut')}
        onClick={signOut}
      />
    </Stack>
  )
}

interface NavEntryProps {
  readonly isRail: boolean
  readonly isSmall?: boolean
  readonly icon: ReactNode
  readonly label: string
  /** Default: the label. */
  readonly tooltip?: string
  readonly count?: string | undefined
  /** Makes it a link; without it, it is a button. */
  readonly to?: string
  readonly isCurrent?: boolean
  /** The current page is below it, and has an entry of its own. */
  readonly containsCurrent?: boolean
  readonly isExpanded?: boolean
  readonly onClick?: () => void
}

function NavEntry({
  isRail,
  isSmall = false,
  icon,
  label,
  tooltip = label,
  count,
  to,
  isCurrent = false,
  containsCurrent = false,
  isExpanded,
  onClick,
}: NavEntryProps) {
  const props = {
    classNames: { root: classes.navLink, section: classes.navIcon, label: classes.navLabel },
    mod: { small: isSmall, 'contains-current': containsCurrent },
    leftSection: icon,
    label: <bdi>{label}</bdi>,
    rightSection: count && (
      <Text span variant="caption" className={classes.navCount}>
        {count}
      </Text>
    ),
    noWrap: true,
    'data-tip': isRail ? tooltip : undefined,
    'data-tip-side': 'end',
  }
  return to === undefined ? (
    <NavLink {...props} component="button" onClick={onClick} aria-expanded={isExpanded} />
  ) : (
    <NavLink {...props} component={Link} to={to} aria-current={isCurrent ? 'page' : undefined} />
  )
}

/** The bottom bar of a phone. */
export function BottomBar() {
  const t = useT()
  const { pathname } = useLocation()
  const { scopes } = useSession()
  return (
    <AppShell.Footer withBorder={false}>
      <nav className={bottomBar.bar} aria-label={t('shell.Main')}>
        {navItems
          .filter(({ scope, desktopOnly }) => hasScope(scopes, scope) && !desktopOnly)
          .map((item) => (
            <Link
              key={item.path}
              className={bottomBar.item}
              to={item.path}
              aria-current={isActive(item, pathname) ? 'page' : undefined}
            >
              <item.Icon size={22} aria-hidden />
              {t(item.label)}
            </Link>
          ))}
        <Link className={bottomBar.item} to="/account" aria-current={pathname === '/account' ? 'page' : undefined}>
          <IconUserCircle size={22} aria-hidden />
          {t('shell.Account')}
        </Link>
      </nav>
    </AppShell.Footer>
  )
}

/** The number of items of a page, as far as it is known. */
function useCounts(): Readonly<Record<string, string | undefined>> {
  const { number } = useFormatters()
  const { scopes } = useSession()
  const servers = useFirstServers()
  const nodes = useApiQuery(listNodes, {}, { enabled: hasScope(scopes, 'nodes.view'), staleTime: 60_000 })
  const format = (count: number | undefined) => (count === undefined ? undefined : number(count))
  return { '/server': format(servers.total), '/node': format(nodes.data?.length) }
}
