import { Button, Paper } from '@mantine/core'
import { IconCopy } from '@tabler/icons-react'
import { useId } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { SettingRow } from '../../ui/setting-row.tsx'

/** The card that opens the dialog. */
export function CloneCard({ onClone }: { readonly onClone: () => void }) {
  const t = useT()
  const id = useId()
  return (
    <Paper>
      <SettingRow id={id} title={t('server.Clone')} description={t('server.CloneAbout')}>
        <Button
          size="xs"
          variant="default"
          aria-describedby={`${id}-title`}
          leftSection={<IconCopy size={16} aria-hidden />}
          onClick={onClone}
        >
          {t('server.Clone')}
        </Button>
      </SettingRow>
    </Paper>
  )
}
