import { type CatalogueEntry, getCatalogueTemplate } from '@innkeeper/contract/catalogue'
import { Button, Modal, Skeleton } from '@mantine/core'
import { useState } from 'react'
import { useCall } from '../../api/use-call.ts'
import { isObject } from '../../features/definition-editor/raw.ts'
import { useText } from '../../i18n/text.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
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
  const text = useText()
  const isPhone = useIsPhone()
  const { name, display = name } = entry
  const offered = useCall(getCatalogueTemplate, { params: { name } }, { staleTime: 0 })
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
      title={text('templates.ChangesOf', { name: display })}
      fullScreen={isPhone}
      size="min(80rem, calc(100vw - 60px))"
      closeButtonProps={{ 'aria-label': text('common.Close') }}
    >
      <div className={classes.dialog}>
        <p className={classes.quiet}>{text('templates.ChangesHint')}</p>
        {offered.error ? (
          <LoadFailure
            title={text('templates.OneLoadFailed')}
            error={offered.error}
            again={() => void offered.refetch()}
          />
        ) : offered.data && isObject(offered.data) ? (
          <Comparison name={name} offered={offered.data}>
            {(version) => (
              <div className={classes.buttons}>
                <Button variant="subtle" color="gray" onClick={onClose}>
                  {text('common.Cancel')}
                </Button>
                <Button loading={isSaving} onClick={() => void overwrite(version)}>
                  {text('templates.Overwrite')}
                </Button>
              </div>
            )}
          </Comparison>
        ) : (
          <Skeleton h={240} radius="lg" aria-label={text('common.Loading')} />
        )}
      </div>
    </Modal>
  )
}
