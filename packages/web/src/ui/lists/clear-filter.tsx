import { Button } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'

/** The way out of a list in which nothing matches. */
export function ClearFilter({ onClick }: { onClick: () => void }) {
  const t = useT()
  return (
    <Button variant="default" onClick={onClick}>
      {t('common.ClearFilter')}
    </Button>
  )
}
