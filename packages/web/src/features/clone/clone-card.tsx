import { Paper } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { ActionRow } from '../../ui/lists/action-row.tsx'

/** The card that opens the dialog. */
export function CloneCard({ onClone }: { readonly onClone: () => void }) {
  const t = useT()
  return (
    <Paper>
      <ActionRow
        title={t('server.Clone')}
        description={t('server.CloneAbout')}
        icon={IconCopy}
        action={t('server.Clone')}
        onClick={onClone}
      />
    </Paper>
  )
}
