import { Paper } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { ReadOnlyBadge } from '../../ui/read-only-badge.tsx'
import { globalFlagsOf, permissionGroups } from './permissions.ts'
import { UserHead } from './user-head.tsx'
import type { UserProps } from './user-screen.tsx'
import { UserServers } from './user-servers.tsx'
import classes from './users-screen.module.css'

/** A person for those who may look and not change. */
export function UserSummary({ user, permissions }: UserProps) {
  const t = useT()
  const flags = globalFlagsOf(permissions)
  const isAdmin = flags.has('admin')
  const mayListServers = useCan('servers.admin')
  const groups = permissionGroups
    .map(({ name, permissions: all }) => ({ name, held: all.filter(({ flag }) => isAdmin || flags.has(flag)) }))
    .filter(({ held }) => held.length > 0)

  return (
    <>
      <Paper>
        <UserHead user={user} actions={<ReadOnlyBadge permission={t('users.NeedsEditUsers')} />} />
        <dl className={classes.facts}>
          <div>
            <dt>{t('account.Username')}</dt>
            <dd>
              <bdi>{user.username}</bdi>
            </dd>
          </div>
          <div>
            <dt>{t('account.Email')}</dt>
            <dd dir="ltr">{user.email}</dd>
          </div>
        </dl>
      </Paper>
      <Paper>
        <div className={classes.head}>
          <h2>{t('users.Permissions')}</h2>
        </div>
        <div className={classes.groups}>
          {isAdmin && <p>{t('users.AdministratorAbout')}</p>}
          {groups.length === 0 && <p>{t('users.NoPermissions')}</p>}
          {groups.map(({ name, held }) => (
            <section key={name} className={classes.group} aria-label={t(name)}>
              <h3>{t(name)}</h3>
              <ul className={classes.held}>
                {held.map(({ flag, name: permission }) => (
                  <li key={flag}>
                    <IconCheck size={16} aria-hidden />
                    {t(permission)}
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </Paper>
      {mayListServers && <UserServers user={user} permissions={permissions} />}
    </>
  )
}
