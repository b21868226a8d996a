import { Button, Modal, Select } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { useIsPhone } from '../../ui/page.tsx'
import classes from './definition-editor.module.css'
import { EnvironmentFields } from './environment-fields.tsx'
import type { RawEnvironment } from './environments.ts'

interface EnvironmentDialogProps {
  /** The one that is edited; a new one without. */
  readonly environment: RawEnvironment | undefined
  /** The types that are not there yet. */
  readonly types: readonly string[]
  readonly onDone: (environment: RawEnvironment) => void
  readonly onClose: () => void
}

/** Adds an environment, or changes one. */
export function EnvironmentDialog({ environment, types, onDone, onClose }: EnvironmentDialogProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const [edited, setEdited] = useState<RawEnvironment>(environment ?? { type: types[0] ?? 'standard' })
  const [isRight, setIsRight] = useState(true)
  const offered = environment ? [environment.type, ...types] : types
  return (
    <Modal
      opened
      onClose={onClose}
      fullScreen={isPhone}
      size="lg"
      title={t(environment ? 'definition.EditEnvironment' : 'definition.AddEnvironment')}
    >
      <div className={classes.dialog}>
        <Select
          label={t('definition.Environment')}
          data={offered.map((type) => ({ value: type, label: environmentName(t, type) }))}
          value={edited.type}
          allowDeselect={false}
          onChange={(type) => {
            setIsRight(true)
            setEdited(environment && type === environment.type ? environment : { type: type ?? 'standard' })
          }}
        />
        <EnvironmentFields
          key={edited.type}
          environment={edited}
          onChange={(next, right) => {
            setEdited(next)
            setIsRight(right)
          }}
        />
        <div className={classes.buttons}>
          <Button variant="subtle" color="gray" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button disabled={!isRight} onClick={() => onDone(edited)}>
            {t(environment ? 'definition.Done' : 'definition.Add')}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
