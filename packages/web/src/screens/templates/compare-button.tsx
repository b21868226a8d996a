import type { CatalogEntry } from '@innkeeper/contract/templates/catalog'
import { Button } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'

/** Says how an installed template differs from the official one; nothing when it does not. */
export function CompareButton({ entry, onClick }: { entry: CatalogEntry; onClick: () => void }) {
  const t = useT()
  const { name, display = name, state } = entry
  if (state !== 'changed' && state !== 'edited') return null
  return (
    <Button
      size="compact-xs"
      variant="light"
      {...(state === 'edited' ? { color: 'gray' } : {})}
      aria-label={t('templates.CompareOne', { name: display })}
      onClick={onClick}
    >
      {t(state === 'changed' ? 'templates.StateUpdate' : 'templates.StateChanged')}
    </Button>
  )
}
