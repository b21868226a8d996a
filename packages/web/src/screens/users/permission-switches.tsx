import type { GlobalFlag } from '@innkeeper/contract/permissions'
import { Badge, Paper, Switch } from '@mantine/core'
import { useId } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/alert.tsx'
import { type GlobalFlags, maySwitch, permissionGroups, withFlag } from './permissions.ts'
import classes from './users-screen.module.css'

interface PermissionSwitchesProps {
  readonly saved: GlobalFlags
  readonly flags: GlobalFlags
  readonly onChange: (flags: GlobalFlags) => void
}

/** What a person may do in the panel as a whole. An administrator may everything, whatever the other switches say. */
export function PermissionSwitches({ saved, flags, onChange }: PermissionSwitchesProps) {
  const t = useT()
  const { scopes } = useSession()
  const title = useId()
  const isAdmin = flags.has('admin')
  const isOutOfReach = saved.has('admin') && !maySwitch(scopes, saved, 'admin')
  const lacksSome =
    !isOutOfReach && permissionGroups.some(({ permissions }) => permissions.some(({ flag }) => !may(flag)))

  function may(flag: GlobalFlag): boolean {
    return maySwitch(scopes, saved, flag)
  }
  return (
    <Paper>
      <section aria-labelledby={title}>
        <div className={classes.head}>
          <h2 id={title}>{t('users.Permissions')}</h2>
          <span className={classes.quiet}>{t('users.PermissionsAbout')}</span>
        </div>
        {(isOutOfReach || lacksSome) && (
          <div className={classes.notice}>
            <Alert type="info">{t(isOutOfReach ? 'users.OnlyAdministrators' : 'users.OnlyYours')}</Alert>
          </div>
        )}
        <div className={classes.administrator}>
          <Switch
            label={t('users.Administrator')}
            description={t('users.AdministratorAbout')}
            checked={isAdmin}
            disabled={!may('admin')}
            onChange={(event) => onChange(withFlag(flags, 'admin', event.currentTarget.checked))}
          />
          {isAdmin !== saved.has('admin') && <Changed />}
        </div>
        <div className={classes.groups}>
          {permissionGroups.map(({ name, permissions }) => (
            <section key={name} className={classes.group} aria-label={t(name)}>
              <h3>{t(name)}</h3>
              {permissions.map(({ flag, name: permission }) => (
                <div key={flag} className={classes.permission}>
                  <Switch
                    labelPosition="left"
                    label={
                      <>
                        {t(permission)}
                        {flags.has(flag) !== saved.has(flag) && <Changed />}
                      </>
                    }
                    checked={isAdmin || flags.has(flag)}
                    disabled={isAdmin || !may(flag)}
                    onChange={(event) => onChange(withFlag(flags, flag, event.currentTarget.checked))}
                  />
                </div>
              ))}
            </section>
          ))}
        </div>
      </section>
    </Paper>
  )
}

function Changed() {
  const t = useT()
  return (
    <span className={classes.changed} aria-hidden>
      <Badge>{t('users.Changed')}</Badge>
    </span>
  )
}
