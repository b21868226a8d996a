import { createBackup, listBackupJobs } from '@innkeeper/contract/backups'
import { limits } from '@innkeeper/contract/limits'
import { Modal, Stack, Switch, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { SubmitForm } from '../../forms/submit-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'

/** Asks for a note and whether to verify the backup, and starts it. */
export function CreateBackupDialog({ server, onClose }: { server: string; onClose: () => void }) {
  const t = useT()
  const [verify, setVerify] = useState(false)
  const { mutateAsync } = useApiMutation(createBackup, { silent: true, invalidates: [listBackupJobs] })
  const form = useSubmitForm({
    initialValues: { name: '' },
    send: async ({ name }) => {
      await mutateAsync({ params: { id: server }, body: { name, verify } })
      onClose()
    },
  })
  return (
    <Modal opened onClose={onClose} title={t('backups.Create')}>
      <SubmitForm form={form}>
        <Stack gap="md">
          <TextInput
            data-autofocus
            label={t('nodes.Range_note')}
            autoComplete="off"
            maxLength={limits.backupNameMax}
            {...form.field('name')}
          />
          <Switch
            label={t('steps.Field_verify')}
            checked={verify}
            onChange={(event) => setVerify(event.currentTarget.checked)}
          />
          <DialogButtons onCancel={onClose} type="submit" loading={form.isSubmitting}>
            {t('backups.Create')}
          </DialogButtons>
        </Stack>
      </SubmitForm>
    </Modal>
  )
}
