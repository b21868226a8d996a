import { Modal, Select, Stack } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { useIsPhone } from '../../ui/page.tsx'
import { EnvironmentFields } from './environment-fields.tsx'
import type { RawEnvironment } from './environments.ts'

interface EnvironmentDialogProps {
  /** The environment to edit; absent for a new one. */
  readonly environment: RawEnvironment | undefined
  readonly availableTypes: readonly string[]
  readonly onSubmit: (environment: RawEnvironment) => void
  readonly onClose: () => void
}

/** Adds or edits an environment of a template. */
export function EnvironmentDialog({ environment, availableTypes, onSubmit, onClose }: EnvironmentDialogProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const [draft, setDraft] = useState<RawEnvironment>(environment ?? { type: availableTypes[0] ?? 'standard' })
  const [isValid, setIsValid] = useState(true)
  const types = environment ? [environment.type, ...availableTypes] : availableTypes
  return (
    <Modal
      opened
      onClose={onClose}
      fullScreen={isPhone}
      size="lg"
      title={t(environment ? 'definition.EditEnvironment' : 'definition.AddEnvironment')}
    >
      <Stack gap="lg">
        <Select
          label={t('common.Environment')}
          data={types.map((type) => ({ value: type, label: environmentName(t, type) }))}
          value={draft.type}
          onChange={(type) => {
            setIsValid(true)
            setDraft(environment && type === environment.type ? environment : { type: type ?? 'standard' })
          }}
        />
        <EnvironmentFields
          key={draft.type}
          environment={draft}
          onChange={(next, isNextValid) => {
            setDraft(next)
            setIsValid(isNextValid)
          }}
        />
        <DialogButtons onCancel={onClose} disabled={!isValid} onClick={() => onSubmit(draft)}>
          {t(environment ? 'definition.Done' : 'common.Add')}
        </DialogButtons>
      </Stack>
    </Modal>
  )
}
