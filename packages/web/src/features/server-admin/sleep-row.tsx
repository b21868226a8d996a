import { findSleepObstacle } from '@innkeeper/contract/definitions/sleep'
import { NativeSelect } from '@mantine/core'
import { useId } from 'react'
import { useAction } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { SettingRow } from '../../ui/fields/setting-row.tsx'
import { setIn } from '../definition-editor/json-path.ts'
import { useWriteDefinition, type VersionedDefinition } from './use-definition.ts'

const choices = [5, 10, 15, 30, 60, 120]

interface SleepRowProps extends Pick<VersionedDefinition, 'definition'> {
  readonly id: string
}

/** After how many minutes without players the server sleeps. Writes the definition at once. */
export function SleepRow({ id, definition }: SleepRowProps) {
  const t = useT()
  const { longDuration } = useFormatters()
  const { update } = useWriteDefinition(id)
  const selectId = useId()
  const saved = definition.run.sleepAfterMinutes ?? 0
  const reason = findSleepObstacle(definition)

  const { mutate, pending } = useAction((minutes: number) =>
    update((current) => setIn(current, ['run', 'sleepAfterMinutes'], minutes || undefined)),
  )
  const minutes = [...new Set([...choices, saved])].filter((choice) => choice > 0).sort((a, b) => a - b)
  return (
    <SettingRow
      id={selectId}
      labelFor={selectId}
      title={t('definition.SleepAfter')}
      description={t(reason === undefined ? 'server.AdminSleepAbout' : `server.AdminNoSleep_${reason}`)}
    >
      <NativeSelect
        id={selectId}
        aria-describedby={`${selectId}-description`}
        disabled={pending !== undefined || (reason !== undefined && saved === 0)}
        data={[
          { value: '0', label: t('server.SleepNever') },
          ...minutes.map((choice) => ({ value: String(choice), label: longDuration(choice * 60_000) })),
        ]}
        value={String(pending ?? saved)}
        onChange={(event) => void mutate(Number(event.currentTarget.value))}
      />
    </SettingRow>
  )
}
