import { getServerBackupTargets, localTarget, putServerBackupTargets } from '@innkeeper/contract/backup-targets'
import { Checkbox, Modal, Stack, Switch } from '@mantine/core'
import { useState } from 'react'
import type { z } from 'zod'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import { toast } from '../../../ui/toast.tsx'
import { toggleTarget } from './selection.ts'

export type ServerTargets = z.infer<typeof getServerBackupTargets.response>

interface ServerTargetsDialogProps {
  readonly server: string
  readonly targets: ServerTargets
  readonly onClose: () => void
}

/** Chooses where the backups of a server are stored. */
export function ServerTargetsDialog({ server, targets: saved, onClose }: ServerTargetsDialogProps) {
  const t = useT()
  const [selected, setSelected] = useState(saved.selected)
  const { mutate, isPending } = useApiMutation(putServerBackupTargets, {
    invalidates: [getServerBackupTargets],
    onSuccess: () => {
      toast.success(t('common.Saved'))
      onClose()
    },
  })
  const shown = selected ?? saved.defaults
  const choices = [{ id: localTarget, name: t('backup-targets.Local') }, ...saved.targets]
  return (
    <Modal opened onClose={onClose} title={t('backup-targets.Title')}>
      <Stack gap="md">
        <Switch
          label={t('backup-targets.UseNode')}
          checked={selected === undefined}
          onChange={({ currentTarget: { checked } }) => setSelected(checked ? undefined : [...saved.defaults])}
        />
        {choices.map(({ id, name }) => (
          <Checkbox
            key={id}
            label={<bdi>{name}</bdi>}
            checked={shown.includes(id)}
            disabled={selected === undefined}
            onChange={() => setSelected(toggleTarget(shown, id))}
          />
        ))}
        <DialogButtons
          onCancel={onClose}
          loading={isPending}
          onClick={() => mutate({ params: { id: server }, body: selected ?? null })}
        >
          {t('common.Save')}
        </DialogButtons>
      </Stack>
    </Modal>
  )
}
