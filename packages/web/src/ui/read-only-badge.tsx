import { Badge } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useT } from '../i18n/i18n.tsx'
import { InfoTooltip } from './info-tooltip.tsx'

/** Says that the user may look but not change; its tooltip names the missing permission. */
export function ReadOnlyBadge({ permission }: { permission: string }) {
  const t = useT()
  return (
    <InfoTooltip label={permission}>
      <Badge leftSection={<IconEye size={13} aria-hidden />} tabIndex={0}>
        {t('common.ViewOnly')}
      </Badge>
    </InfoTooltip>
  )
}
