import { getConfig } from '@innkeeper/contract/panel'
import type { ServerFlag } from '@innkeeper/contract/permissions'
import type { ServerView } from '@innkeeper/contract/servers'
import { Button } from '@mantine/core'
import { IconInfoCircle, IconUserPlus, IconUsers } from '@tabler/icons-react'
import { useCall } from '../../api/use-call.ts'
import { DraftOffer } from '../../forms/save-form.tsx'
import { useUnsavedChanges } from '../../forms/unsaved-changes.tsx'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { Badge, Card, Keys } from '../../ui/small.tsx'
import { useElementWidth } from '../../ui/use-element-width.ts'
import { useIsLate } from '../../ui/use-late.ts'
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
  readonly may: (flag: ServerFlag) => boolean
}

/** Who may do what on a server. */
export function ServerUsers({ server, may }: ServerUsersProps) {
  const text = useText()
  const isPhone = useIsPhone()
  const [ref, width] = useElementWidth()
  // Not measured yet is taken for wide enough.
  const isNarrow = isPhone || (width > 0 && width < gridFrom)
  const people = usePeople(server, may)
  const config = useCall(getConfig, {}, { staleTime: 60_000 })
  const cannotInvite = config.data?.passwordResetEnabled === false
  const isLate = useIsLate(people.list.isPending)
  useCombination('$mod+s', () => void people.saveAll())
  useUnsavedChanges({ isDirty: people.hasChanges, onLeave: people.discardAll })

  const add = (
    <Button leftSection={<IconUserPlus size={17} aria-hidden />} onClick={people.beginAdding}>
      {text('server-users.Add')}
    </Button>
  )
  if (people.list.isError && !people.list.data) {
    const again = () => void people.list.refetch()
    return <LoadFailure title={text('server-users.LoadFailed')} error={people.list.error} again={again} />
  }
  const isEmpty = people.list.data !== undefined && people.people.length === 0 && people.newcomer === undefined
  return (
    <section ref={ref} className={classes.users} aria-label={text('server-users.Title')}>
      <div className={classes.head}>
        <div>
          <h2>{text('server-users.Title')}</h2>
          <p>{text(cannotInvite ? 'server-users.AboutNoMail' : 'server-users.About')}</p>
        </div>
        {people.list.data !== undefined && !isEmpty && add}
      </div>
      {people.offered && <DraftOffer onRestore={people.restore} onForget={people.forgetOffer} />}
      {people.list.isPending ? (
        isLate && <div className={classes.skeleton} role="status" aria-label={text('common.Loading')} />
      ) : isEmpty ? (
        <Card>
          <EmptyState
            icon={<IconUsers size={24} stroke={1.6} aria-hidden />}
            title={text('server-users.Empty')}
            actions={add}
          />
        </Card>
      ) : isNarrow ? (
        <PhonePeople people={people} />
      ) : (
        <>
          <PermissionGrid server={server.name} people={people} />
          <div className={classes.hints}>
            <span>
              <IconInfoCircle size={16} aria-hidden />
              {text('server-users.PresetsHint')}
              {presets.map((preset) => (
                <Badge key={preset} square>
                  {text(`server-users.Preset_${preset}`)}
                </Badge>
              ))}
            </span>
            <span className={classes.keys} aria-hidden>
              <Keys keys="↑ ↓ ← →" /> {text('server-users.KeysMove')}
              <Keys keys="Space" /> {text('server-users.KeysToggle')}
            </span>
          </div>
        </>
      )}
    </section>
  )
}
