import { type BackupRetention, type RetentionRule, retentionRules } from '@innkeeper/contract/backups/backup-retention'
import { limits } from '@innkeeper/contract/text/limits'
import { SimpleGrid } from '@mantine/core'
import type { SaveFormOf } from '../../forms/use-save-form.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { NumberField } from '../../ui/fields/number-field.tsx'

export const retentionLabels: Readonly<Record<RetentionRule | 'maxBytes', TranslationKey>> = {
  last: 'backups.KeepNewest',
  daily: 'tasks.Mode_daily',
  weekly: 'tasks.Mode_weekly',
  monthly: 'tasks.Mode_monthly',
  yearly: 'backups.KeepYearly',
  maxBytes: 'backups.SizeLimit',
}

const gibibyte = 1024 ** 3
const maxGibibytes = 1_000_000

/** Formats a rule or the size limit where both versions of a conflict are compared. */
export function useFormatRetention(): (field: keyof BackupRetention, value: unknown) => string {
  const { fileSize } = useFormatters()
  return (field, value) => (field === 'maxBytes' && Number(value) > 0 ? fileSize(Number(value)) : String(value))
}

/** The inputs of a retention. */
export function RetentionFields({ form }: { form: Pick<SaveFormOf<BackupRetention>, 'field' | 'set' | 'values'> }) {
  const t = useT()
  return (
    <>
      <SimpleGrid cols={{ base: 2, xs: 3 }} spacing="sm" style={{ alignItems: 'end' }}>
        {retentionRules.map((rule) => (
          <NumberField
            key={rule}
            label={t(retentionLabels[rule])}
            w="100%"
            max={limits.backupsKept}
            {...form.field(rule)}
          />
        ))}
      </SimpleGrid>
      <NumberField
        label={t(retentionLabels.maxBytes)}
        description={t('backups.SizeLimitAbout')}
        max={maxGibibytes}
        {...form.field('maxBytes')}
        value={Math.ceil(form.values.maxBytes / gibibyte)}
        onChange={(size) => form.set({ maxBytes: size * gibibyte })}
      />
    </>
  )
}
