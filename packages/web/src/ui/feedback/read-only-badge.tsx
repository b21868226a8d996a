import { Badge } from '@mantine/core'
import { IconEye } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { InfoPopover } from './info-popover.tsx'

/** Says that the user may look but not change. As a button it names the missing permission. */
export function ReadOnlyBadge({ permission }: { permission: string }) {
  const t = useT()
  return (
    <InfoPopover
      text={permission}
      renderButton={(props) => (
        <Badge
          component="button"
          type="button"
          size="lg"
          flex="none"
          leftSection={<IconEye size={13} aria-hidden />}
          {...props}
        >
          {t('common.ViewOnly')}
        </Badge>
      )}
    />
  )
}
