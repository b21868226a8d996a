import { listLivenessReports } from '@innkeeper/contract/servers/liveness-reports'
import { Button, Paper } from '@mantine/core'
import { useId, useState } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { SettingRow } from '../../ui/fields/setting-row.tsx'
import { ReportsDialog } from './reports-dialog.tsx'

/** Opens the reports about a server that did not respond; nothing when there are none. */
export function ReportsCard({ server }: { readonly server: string }) {
  const t = useT()
  const id = useId()
  const [isOpen, setIsOpen] = useState(false)
  const { data } = useApiQuery(listLivenessReports, { params: { id: server } }, { meta: { quiet: true } })
  if (!data || data.length === 0) return null
  return (
    <Paper>
      <SettingRow id={id} title={t('liveness.Reports')} description={t('liveness.ReportsAbout')}>
        <Button variant="default" aria-describedby={`${id}-description`} onClick={() => setIsOpen(true)}>
          {t('liveness.Show')}
        </Button>
      </SettingRow>
      {isOpen && <ReportsDialog server={server} onClose={() => setIsOpen(false)} />}
    </Paper>
  )
}
