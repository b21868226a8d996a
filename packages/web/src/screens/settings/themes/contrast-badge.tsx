import { schemes } from '@innkeeper/contract/theme/palette'
import { lowestContrast, type Theme } from '@innkeeper/contract/theme/theme-file'
import { Badge } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useT } from '../../../i18n/i18n.tsx'
import { useFormatters } from '../../../i18n/use-formatters.ts'

/** The lowest contrast of text in a theme, over both schemes. */
export function ContrastBadge({ palettes }: Pick<Theme, 'palettes'>) {
  const t = useT()
  const { number } = useFormatters()
  const ratio = Math.min(...schemes.map((scheme) => lowestContrast(palettes[scheme], scheme)))
  // Rounded down: 4.49 is not enough.
  const rounded = Math.floor(ratio * 10) / 10
  return (
    <Badge
      color="green"
      c="var(--ik-online)"
      bg="var(--ik-online-soft)"
      leftSection={<IconCheck size={13} aria-hidden />}
    >
      {t('settings.ThemeContrast', { ratio: number(rounded, 1) })}
    </Badge>
  )
}
