import type { BackupRetention } from '@innkeeper/contract/backups/backup-retention'
import { Paper, Stack, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { SaveBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { type Saved, type SaveFormOf, useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { RetentionFields, retentionLabels, useFormatRetention } from './retention-fields.tsx'

interface RetentionFormProps {
  readonly id: string
  readonly title: string
  /** For which servers it applies. */
  readonly about: string
  readonly saved: Saved<BackupRetention>
  readonly reload: () => Promise<Saved<BackupRetention>>
  readonly send: (request: {
    readonly values: BackupRetention
    readonly version?: string | undefined
  }) => Promise<unknown>
  /** Above the fields. */
  readonly children?: (form: SaveFormOf<BackupRetention>) => ReactNode
}

/** A card with a default retention. */
export function RetentionForm({ id, title, about, saved, reload, send, children }: RetentionFormProps) {
  const t = useT()
  const formatValue = useFormatRetention()
  const form = useSaveForm<BackupRetention>({
    id,
    saved,
    reload,
    formatValue,
    getLabel: (field) => t(retentionLabels[field as keyof BackupRetention]),
    send,
  })
  return (
    <Paper>
      <SaveForm form={form} isInCard id={id} aria-label={title}>
        <CardHeader title={title} />
        <Stack p="md">
          <Text c="dimmed">{about}</Text>
          <Text c="dimmed">{t('backups.RetentionAbout')}</Text>
          {children?.(form)}
          <RetentionFields form={form} />
        </Stack>
        <SaveBar form={form} isInline />
      </SaveForm>
    </Paper>
  )
}
