import { type CatalogueEntry, getCatalogueTemplate } from '@innkeeper/contract/catalogue'
import { Modal, Stack, Text } from '@mantine/core'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { DiffSkeleton, TemplateDiff } from './template-diff.tsx'

interface OverwriteDialogProps {
  readonly entry: CatalogueEntry
  readonly isSaving: boolean
  /** Overwrites the version that the dialog shows. */
  readonly onOverwrite: (version: string | undefined) => void
  readonly onClose: () => void
}

/** Shows what importing a template changes before it overwrites the installed one. */
export function OverwriteDialog({ entry, isSaving, onOverwrite, onClose }: OverwriteDialogProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const { name, display = name } = entry
  const incoming = useApiQuery(getCatalogueTemplate, { params: { name } }, { staleTime: 0 })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('templates.ChangesOf', { name: display })}
      fullScreen={isPhone}
      size="min(80rem, calc(100vw - 60px))"
    >
      <Stack gap="md">
        <Text c="dimmed" fz={13}>
          {t('templates.ChangesHint')}
        </Text>
        <QueryState query={incoming} errorTitle={t('templates.OneLoadFailed')} skeleton={<DiffSkeleton />}>
          {(template) => (
            <TemplateDiff name={name} incoming={{ ...template }}>
              {(version) => (
                <DialogButtons onCancel={onClose} loading={isSaving} onClick={() => onOverwrite(version)}>
                  {t('common.Overwrite')}
                </DialogButtons>
              )}
            </TemplateDiff>
          )}
        </QueryState>
      </Stack>
    </Modal>
  )
}
