import { type CatalogEntry, getCatalogTemplate, importTemplate } from '@innkeeper/contract/templates/catalog'
import { Modal, Stack, Text } from '@mantine/core'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { DialogButtons } from '../../ui/overlays/dialog-buttons.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { DiffSkeleton, TemplateDiff } from './template-diff.tsx'
import { templateEndpoints } from './use-template.ts'

interface OverwriteDialogProps {
  readonly entry: CatalogEntry
  readonly onClose: () => void
  readonly onImported?: () => void
}

/** Shows what importing a template changes, and overwrites the installed one. */
export function OverwriteDialog({ entry, onClose, onImported }: OverwriteDialogProps) {
  const t = useT()
  const { name, display = name } = entry
  const incoming = useApiQuery(getCatalogTemplate, { params: { name } }, { staleTime: 0 })

  const { mutate, isPending } = useApiMutation(importTemplate, {
    invalidates: templateEndpoints,
    onSuccess: () => {
      toast.success(t('templates.Imported', { name: display }))
      onImported?.()
      onClose()
    },
  })
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('templates.ChangesOf', { name: display })}
      variant="phone-full-screen"
      size="min(80rem, calc(100vw - 60px))"
    >
      <Stack gap="md">
        <Text variant="note">{t('templates.ChangesHint')}</Text>
        <QueryState query={incoming} errorTitle={t('templates.OneLoadFailed')} skeleton={<DiffSkeleton />}>
          {(template) => (
            <TemplateDiff name={name} incoming={{ ...template }}>
              {(version) => (
                <DialogButtons
                  onCancel={onClose}
                  loading={isPending}
                  onClick={() => void mutate({ params: { name } }, { version })}
                >
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
