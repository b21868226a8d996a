import { type BackupTarget, backupTargetTypes } from '@innkeeper/contract/backups/backup-targets'
import { limits } from '@innkeeper/contract/text/limits'
import { Button, Modal, NativeSelect, SimpleGrid, Stack, Switch, Text, Textarea, TextInput } from '@mantine/core'
import { useCloseDialog } from '../../../forms/form-dialogs.tsx'
import { SaveForm } from '../../../forms/save-form.tsx'
import { useT } from '../../../i18n/i18n.tsx'
import { codeInputProps } from '../../../ui/fields/code-input.ts'
import { NumberField } from '../../../ui/fields/number-field.tsx'
import { PasswordField } from '../../../ui/fields/password-field.tsx'
import { DialogButtons } from '../../../ui/overlays/dialog-buttons.tsx'
import { useReturnFocus } from '../../../ui/overlays/use-return-focus.ts'
import { toast } from '../../../ui/toasts/toast.tsx'
import { type TargetForm, targetLabels, useTargetForm } from './target-form.ts'
import { targetTypeNames } from './target-types.ts'

interface TargetDialogProps {
  readonly node: number
  /** `null` for a new one. */
  readonly target: BackupTarget | null
  readonly onClose: () => void
}

/** The fields of each type that are not secret, then those that are. */
const textFields = {
  sftp: ['host', 'user', 'path'],
  s3: ['endpoint', 'bucket', 'path', 'region'],
  rest: ['url', 'user'],
} as const
const secretFields = { sftp: ['password'], s3: ['accessKey', 'secretKey'], rest: ['password'] } as const

/** Adds or edits a target of a node. Stored passwords and keys are never shown. */
export function TargetDialog({ node, target, onClose }: TargetDialogProps) {
  useReturnFocus()
  const t = useT()
  const { form, isBusy, onTest } = useTargetForm({
    node,
    target,
    onSaved: (isClean) => {
      toast.success(t('common.Saved'))
      // Edits made during the save keep the dialog open, but it must not add a second target.
      if (isClean || target === null) onClose()
    },
  })
  const close = useCloseDialog(form, onClose)
  const { type } = form.values
  const props = (field: Exclude<keyof TargetForm, 'port' | 'usesPathStyle'>) => ({
    ...form.field(field),
    label: t(targetLabels[field]),
    autoComplete: 'off',
  })
  return (
    <Modal
      opened
      size="lg"
      onClose={close}
      title={target ? t('common.EditNamed', { name: target.name }) : t('backup-targets.Add')}
    >
      <SaveForm form={form}>
        <Stack>
          <SimpleGrid minColWidth="min(100%, 14rem)" autoFlow="auto-fit">
            <TextInput {...props('name')} data-autofocus maxLength={limits.backupTargetNameMax} />
            <NativeSelect
              {...props('type')}
              disabled={target !== null}
              data={backupTargetTypes.map((value) => ({ value, label: targetTypeNames[value] }))}
            />
            {textFields[type].map((field) => (
              <TextInput
                key={field}
                {...codeInputProps}
                {...props(field)}
                // Another host has another key.
                {...(field === 'host' && {
                  onChange: (event) => form.set({ host: event.currentTarget.value, hostKey: '' }),
                })}
              />
            ))}
            {type === 'sftp' && (
              <NumberField
                label={t(targetLabels.port)}
                max={65_535}
                value={form.values.port}
                error={form.errors.port}
                data-path="port"
                onChange={(port) => form.set({ port, hostKey: '' })}
              />
            )}
            {secretFields[type].map((field) => (
              <PasswordField key={field} {...props(field)} autoComplete="new-password" />
            ))}
          </SimpleGrid>
          {type === 'sftp' && (
            <Textarea {...codeInputProps} {...props('privateKey')} autosize minRows={2} maxRows={6} />
          )}
          {type === 's3' && <Switch {...form.switchField('usesPathStyle')} label={t(targetLabels.usesPathStyle)} />}
          {type !== 'sftp' && (
            <Textarea {...codeInputProps} {...props('certificates')} autosize minRows={2} maxRows={6} />
          )}
          {target && <Text variant="caption">{t('backup-targets.KeepSecrets')}</Text>}
          <DialogButtons onCancel={close} type="submit" loading={isBusy}>
            {t('common.Save')}
          </DialogButtons>
          <Button variant="default" loading={isBusy} onClick={onTest}>
            {t('backup-targets.Test')}
          </Button>
        </Stack>
      </SaveForm>
    </Modal>
  )
}
