import { IconCheck } from '@tabler/icons-react'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { Card, ViewOnlyBadge } from '../../ui/small.tsx'
import { globalFlagsOf, permissionGroups } from './permissions.ts'
import { UserHead } from './user-head.tsx'
import type { UserProps } from './user-screen.tsx'
import { UserServers } from './user-servers.tsx'
import classes from './users-screen.module.css'

/** A person for those who may look and not change. */
export function UserSummary({ user, permissions }: UserProps) {
  const text = useText()
  const flags = globalFlagsOf(permissions)
  const isAdmin = flags.has('admin')
  const mayListServers = useMay('servers.admin')
  const groups = permissionGroups
    .map(({ name, permissions: all }) => ({ name, held: all.filter(({ flag }) => isAdmin || flags.has(flag)) }))
    .filter(({ held }) => held.length > 0)

  return (
    <>
      <Card>
        <UserHead user={user} actions={<ViewOnlyBadge right={text('users.NeedsEditUsers')} />} />
        <dl className={classes.facts}>
          <div>
            <dt>{text('account.Username')}</dt>
            <dd>
              <bdi>{user.username}</bdi>
            </dd>
          </div>
          <div>
            <dt>{text('account.Email')}</dt>
            <dd dir="ltr">{user.email}</dd>
          </div>
        </dl>
      </Card>
      <Card>
        <div className={classes.head}>
          <h2>{text('users.Permissions')}</h2>
        </div>
        <div className={classes.groups}>
          {isAdmin && <p>{text('users.AdministratorAbout')}</p>}
          {groups.length === 0 && <p>{text('users.NoPermissions')}</p>}
          {groups.map(({ name, held }) => (
            <section key={name} className={classes.group} aria-label={text(name)}>
              <h3>{text(name)}</h3>
              <ul className={classes.held}>
                {held.map(({ flag, name: permission }) => (
                  <li key={flag}>
                    <IconCheck size={16} aria-hidden />
                    {text(permission)}
                  </li>
                ))}
              </ul>
            </section>
          ))}
        </div>
      </Card>
      {mayListServers && <UserServers user={user} permissions={permissions} />}
    </>
  )
}
