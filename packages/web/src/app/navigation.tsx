import { listNodes } from '@innkeeper/contract/nodes'
import { grants } from '@innkeeper/contract/permissions'
import { UnstyledButton } from '@mantine/core'
import { IconLayoutSidebarLeftCollapse, IconLayoutSidebarLeftExpand, IconLogout } from '@tabler/icons-react'
import { Link, useLocation } from 'react-router'
import { useApiQuery } from '../api/use-api-query.ts'
import { useKnownServers, usePinned } from '../features/servers/known-servers.ts'
import { useLogOut } from '../forms/unsaved-changes.tsx'
import { useFormatters, useT } from '../i18n/i18n.tsx'
import { useSession } from '../session/session.tsx'
import { StatusIcon } from '../ui/status.tsx'
import { isActive, navItems } from './nav-items.tsx'
import classes from './shell.module.css'

interface NavigationProps {
  /** Only icons, their names in tooltips. */
  readonly isRail?: boolean
  readonly onCollapse?: () => void
  /** In the drawer of a phone. */
  readonly inDrawer?: boolean
}

/** The drawer: the places a person may go to, pinned servers, and the way out. */
export function Navigation({ isRail = false, onCollapse, inDrawer = false }: NavigationProps) {
  const t = useT()
  const { pathname } = useLocation()
  const { self, scopes } = useSession()
  const logOut = useLogOut()
  const counts = useCounts()
  const pinned = usePinned()
  const isAtPin = pinned.some(({ id }) => pathname === `/server/${id}`)
  const Collapse = isRail ? IconLayoutSidebarLeftExpand : IconLayoutSidebarLeftCollapse

  return (
    <nav className={`${classes.nav} ${inDrawer ? classes.inDrawer : ''}`} aria-label={t('shell.Main')}>
      {navItems
        .filter(({ scope }) => grants(scopes, scope))
        .map(({ Icon, ...place }) => (
          <Link
            key={place.path}
            data-tip={isRail ? t(place.text) : undefined}
            to={place.path}
            className={classes.item}
            aria-current={isActive(place, pathname) && !isAtPin ? 'page' : undefined}
          >
            <Icon size={19} aria-hidden />
            <span className={classes.text}>{t(place.text)}</span>
            {counts[place.path] !== undefined && <span className={classes.count}>{counts[place.path]}</span>}
          </Link>
        ))}

      {pinned.length > 0 && <div className={classes.label}>{t('shell.Pinned')}</div>}
      {pinned.map(({ id, name, state }) => (
        <Link
          key={id}
          data-tip={isRail ? name : undefined}
          to={`/server/${id}`}
          className={`${classes.item} ${classes.pin}`}
          aria-current={pathname === `/server/${id}` ? 'page' : undefined}
        >
          <StatusIcon state={state} size={10} named />
          <span className={classes.text}>{name}</span>
        </Link>
      ))}

      <div className={classes.foot}>
        <Link
          data-tip={isRail ? t('shell.Account') : undefined}
          to="/account"
          className={`${classes.item} ${classes.account}`}
          aria-current={pathname === '/account' ? 'page' : undefined}
        >
          <span className={classes.avatar} aria-hidden>
            {(self?.username ?? '').slice(0, 2).toUpperCase()}
          </span>
          <bdi className={classes.text}>{self?.username ?? t('shell.Account')}</bdi>
        </Link>
        {onCollapse && (
          <UnstyledButton
            data-tip={isRail ? t('shell.Expand') : undefined}
            className={classes.item}
            onClick={onCollapse}
            aria-expanded={!isRail}
          >
            <Collapse size={19} aria-hidden data-flip />
            <span className={classes.text}>{t(isRail ? 'shell.Expand' : 'shell.Collapse')}</span>
          </UnstyledButton>
        )}
        <UnstyledButton data-tip={isRail ? t('shell.LogOut') : undefined} className={classes.item} onClick={logOut}>
          <IconLogout size={19} aria-hidden data-flip />
          <span className={classes.text}>{t('shell.LogOut')}</span>
        </UnstyledButton>
      </div>
    </nav>
  )
}

/** How many there are behind an entry, as far as it is known. */
function useCounts(): Readonly<Record<string, string | undefined>> {
  const { number } = useFormatters()
  const { scopes } = useSession()
  const servers = useKnownServers()
  const nodes = useApiQuery(listNodes, {}, { enabled: grants(scopes, 'nodes.view'), staleTime: 60_000 })
  const shown = (count: number | undefined) => (count === undefined ? undefined : number(count))
  return { '/server': shown(servers.total), '/node': shown(nodes.data?.length) }
}
