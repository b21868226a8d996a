import { limits } from '@innkeeper/contract/text/limits'
import { Text } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'

const dayMs = 24 * 60 * 60 * 1000

/** For how many days activity is stored. */
export function RetentionNote() {
  const t = useT()
  return (
    <Text c="var(--ik-subtle)" fz="xs">
      {t('activity.Retention', { count: limits.activityKeptMs / dayMs })}
    </Text>
  )
}
