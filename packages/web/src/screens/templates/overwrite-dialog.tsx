import { type CatalogueEntry, getCatalogueTemplate } from '@innkeeper/contract/catalogue'
import { Button, Modal, Skeleton } from '@mantine/core'
import { useState } from 'react'
import { useApiQuery } from '../../api/use-api-query.ts'
import { isObject } from '../../features/definition-editor/raw.ts'
import { useT } from '../../i18n/i18n.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { Comparison } from './comparison.tsx'
import classes from './import.module.css'

interface OverwriteDialogProps {
  readonly entry: CatalogueEntry
  /** Overwrites the version that was seen. */
  readonly onOverwrite: (version: string | undefined) => Promise<void>
  readonly onClose: () => void
}

/** Shows what importing changes, before it does. */
export function OverwriteDialog({ entry, onOverwrite, onClose }: OverwriteDialogProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const { name, display = name } = entry
  const offered = useApiQuery(getCatalogueTemplate, { params: { name } }, { staleTime: 0 })
  const [isSaving, setIsSaving] = useState(false)
  const overwrite = async (version: string | undefined) => {
    setIsSaving(true)
    await onOverwrite(version)
    setIsSaving(false)
  }
  return (
    <Modal
      opened
      onClose={onClose}
      title={t('templates.ChangesOf', { name: display })}
      fullScreen={isPhone}
      size="min(80rem, calc(100vw - 60px))"
    >
      <div className={classes.dialog}>
        <p className={classes.quiet}>{t('templates.ChangesHint')}</p>
        {offered.error ? (
          <QueryError title={t('templates.OneLoadFailed')} error={offered.error} retry={() => void offered.refetch()} />
        ) : offered.data && isObject(offered.data) ? (
          <Comparison name={name} offered={offered.data}>
            {(version) => (
              <div className={classes.buttons}>
                <Button variant="subtle" color="gray" onClick={onClose}>
                  {t('common.Cancel')}
                </Button>
                <Button loading={isSaving} onClick={() => void overwrite(version)}>
                  {t('templates.Overwrite')}
                </Button>
              </div>
            )}
          </Comparison>
        ) : (
          <Skeleton h={240} radius="lg" aria-label={t('common.Loading')} />
        )}
      </div>
    </Modal>
  )
}
