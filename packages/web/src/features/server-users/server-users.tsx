import { getConfig } from '@innkeeper/contract/panel'
import type { ServerFlag } from '@innkeeper/contract/permissions'
import type { ServerView } from '@innkeeper/contract/servers'
import { Badge, Button, Paper } from '@mantine/core'
import { IconInfoCircle, IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { DraftOffer } from '../../forms/save-form.tsx'
import { useUnsavedChanges } from '../../forms/unsaved-changes.tsx'
import { useShortcut } from '../../hotkeys/hotkeys.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { Shortcut } from '../../ui/shortcut.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { useElementWidth } from '../../ui/use-element-width.ts'
import { presets } from './flags.ts'
import { PermissionGrid } from './permission-grid.tsx'
import { PhonePeople } from './phone-people.tsx'
import classes from './server-users.module.css'
import { usePeople } from './use-people.tsx'

/** From this width on the grid shows all of its columns; below it the list leads to one person at a time. */
const gridFrom = 1_090

interface ServerUsersProps {
  readonly server: ServerView
  /** Rights that the person at the screen has on the server: only those can be given. */
  readonly can: (flag: ServerFlag) => boolean
}

/** Who may do what on a server. */
export function ServerUsers({ server, can: may }: ServerUsersProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const [ref, width] = useElementWidth()
  // Not measured yet is taken for wide enough.
  const isNarrow = isPhone || (width > 0 && width < gridFrom)
  const people = usePeople(server, may)
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const cannotInvite = config.data?.passwordResetEnabled === false
  const isLate = useDelayed(people.list.isPending)
  useShortcut('$mod+s', () => void people.saveAll())
  useUnsavedChanges({ isDirty: people.hasChanges, onLeave: people.discardAll })

  const add = (
    <Button leftSection={<IconUserPlus size={17} aria-hidden />} onClick={people.beginAdding}>
      {t('server-users.Add')}
    </Button>
  )
  if (people.list.isError && !people.list.data) {
    const retry = () => void people.list.refetch()
    return <QueryError title={t('server-users.LoadFailed')} error={people.list.error} retry={retry} />
  }
  const isEmpty = people.list.data !== undefined && people.people.length === 0 && people.newcomer === undefined
  return (
    <section ref={ref} className={classes.users} aria-label={t('server-users.Title')}>
      <div className={classes.head}>
        <div>
          <h2>{t('server-users.Title')}</h2>
          <p>{t(cannotInvite ? 'server-users.AboutNoMail' : 'server-users.About')}</p>
        </div>
        {people.list.data !== undefined && !isEmpty && add}
      </div>
      {people.offered && <DraftOffer onRestore={people.restore} onForget={people.forgetOffer} />}
      {people.list.isPending ? (
        isLate && <div className={classes.skeleton} role="status" aria-label={t('common.Loading')} />
      ) : isEmpty ? (
        <Paper>
          <EmptyState icon={<IconUsers size={24} aria-hidden />} title={t('server-users.Empty')} actions={add} />
        </Paper>
      ) : isNarrow ? (
        <PhonePeople people={people} />
      ) : (
        <>
          <PermissionGrid server={server.name} people={people} />
          <div className={classes.hints}>
            <span>
              <IconInfoCircle size={16} aria-hidden />
              {t('server-users.PresetsHint')}
              {presets.map((preset) => (
                <Badge key={preset} radius="sm">
                  {t(`server-users.Preset_${preset}`)}
                </Badge>
              ))}
            </span>
            <span className={classes.keys} aria-hidden>
              <Shortcut keys="↑ ↓ ← →" /> {t('server-users.KeysMove')}
              <Shortcut keys="Space" /> {t('server-users.KeysToggle')}
            </span>
          </div>
        </>
      )}
    </section>
  )
}
