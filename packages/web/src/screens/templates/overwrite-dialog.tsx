import { type CatalogueEntry, getCatalogueTemplate } from '@innkeeper/contract/catalogue'
import { Button, Group, Modal, Stack, Text } from '@mantine/core'
import { useApiQuery } from '../../api/use-api-query.ts'
import { isObject } from '../../features/definition-editor/json-path.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
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
  const retry = () => void incoming.refetch()
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
        {incoming.error ? (
          <QueryError title={t('templates.OneLoadFailed')} error={incoming.error} retry={retry} />
        ) : incoming.data && isObject(incoming.data) ? (
          <TemplateDiff name={name} incoming={incoming.data}>
            {(version) => (
              <Group gap="xs" justify="flex-end">
                <Button variant="subtle" color="gray" onClick={onClose}>
                  {t('common.Cancel')}
                </Button>
                <Button loading={isSaving} onClick={() => onOverwrite(version)}>
                  {t('common.Overwrite')}
                </Button>
              </Group>
            )}
          </TemplateDiff>
        ) : (
          <DiffSkeleton />
        )}
      </Stack>
    </Modal>
  )
}
