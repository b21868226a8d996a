import { Paper, Switch } from '@mantine/core'
import { useId } from 'react'
import { useAction } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { SettingRow } from '../../ui/fields/setting-row.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { setIn } from '../definition-editor/json-path.ts'
import { useWriteDefinition, type VersionedDefinition } from './use-definition.ts'

const flags = [
  { flag: 'autostart', title: 'definition.Flag_autostart', description: 'server.AdminAutostartAbout' },
  { flag: 'autorestart', title: 'definition.Flag_autorestart', description: 'server.AdminAutorestartAbout' },
  { flag: 'autorecover', title: 'definition.Flag_autorecover', description: 'server.AdminAutorecoverAbout' },
] as const
type Flag = (typeof flags)[number]['flag']

interface StartAndRecoveryProps extends Pick<VersionedDefinition, 'definition'> {
  readonly id: string
}

/** Switches for when the server starts by itself. Each writes the definition at once. */
export function StartAndRecovery({ id, definition }: StartAndRecoveryProps) {
  const t = useT()
  const { update } = useWriteDefinition(id)
  const baseId = useId()

  const { mutate, pending } = useAction(({ flag, value }: { readonly flag: Flag; readonly value: boolean }) =>
    update((current) => setIn(current, ['run', flag], value)),
  )
  return (
    <Paper>
      <CardHeader title={t('server.AdminStartAndRecovery')} />
      {flags.map(({ flag, title, description }) => {
        const switchId = `${baseId}-${flag}`
        return (
          <SettingRow key={flag} id={switchId} labelFor={switchId} title={t(title)} description={t(description)}>
            <Switch
              id={switchId}
              aria-describedby={`${switchId}-description`}
              disabled={pending !== undefined}
              checked={pending?.flag === flag ? pending.value : definition.run[flag] === true}
              onChange={(event) => void mutate({ flag, value: event.currentTarget.checked })}
            />
          </SettingRow>
        )
      })}
    </Paper>
  )
}
