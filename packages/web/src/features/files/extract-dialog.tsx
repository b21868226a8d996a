import { type ExtractConflictPolicy, type FileJobRequest, putFile } from '@innkeeper/contract/servers/files'
import { Button, Group, Input, Modal, SegmentedControl, type SegmentedControlProps, Stack } from '@mantine/core'
import { type ComponentProps, useId, useState } from 'react'
import { dirname, joinPath } from '../../api/file-paths.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useCloseDialog } from '../../forms/form-dialogs.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import type { FileItem } from './entries.ts'
import { type ExistingNames, getExtractFolderName } from './names.ts'

interface ExtractDialogProps {
  readonly server: string
  readonly archive: FileItem
  /** The names in the archive's folder. */
  readonly existingNames: ExistingNames
  /** Rejects with the `Refusal` if it failed. */
  readonly onStart: (jobRequest: FileJobRequest) => Promise<unknown>
  readonly onDownload: () => void
  readonly onClose: () => void
}

interface ExtractValues {
  readonly target: 'newFolder' | 'sameFolder'
  readonly conflictPolicy: ExtractConflictPolicy
}

/** Extracts an archive into a new folder, or into the folder that contains it, keeping existing files by default. */
export function ExtractDialog({ server, archive, existingNames, onStart, onDownload, onClose }: ExtractDialogProps) {
  const t = useT()
  const createFolder = useApiMutation(putFile)
  /** Created by an attempt whose job was not started: the next one extracts there. */
  const [createdFolder, setCreatedFolder] = useState<string>()
  const folder = dirname(archive.path)
  const newFolder = createdFolder ?? getExtractFolderName(archive.name, existingNames)
  const form = useSubmitForm<ExtractValues>({
    initialValues: { target: 'newFolder', conflictPolicy: 'keepBoth' },
    isGuarded: false,
    send: async ({ target, conflictPolicy }) => {
      const destination = target === 'sameFolder' ? folder : joinPath(folder, newFolder)
      if (target === 'newFolder' && createdFolder === undefined) {
        await createFolder.mutateAsync({ params: { id: server, path: destination }, query: { folder: 'true' } })
        setCreatedFolder(newFolder)
      }
      await onStart({ kind: 'extract', path: archive.path, destination, existing: conflictPolicy })
    },
    onSaved: onClose,
  })
  const close = useCloseDialog(form, onClose)
  return (
    <Modal opened onClose={close} title={t('files.ExtractNamed', { name: archive.name })}>
      <SaveForm form={form}>
        <Stack gap="md">
          <Choice
            label={t('files.ExtractTo')}
            {...form.field('target')}
            data={[
              { value: 'newFolder', label: t('files.NewFolderNamed', { name: newFolder }) },
              { value: 'sameFolder', label: t('files.ThisFolder') },
            ]}
          />
          {form.values.target === 'sameFolder' && (
            <Choice
              label={t('files.ExistingFiles')}
              {...form.field('conflictPolicy')}
              data={[
                { value: 'keepBoth', label: t('common.KeepBoth') },
                { value: 'skip', label: t('common.Skip') },
                { value: 'replace', label: t('common.Replace') },
              ]}
            />
          )}
          <Group gap="xs">
            <Button variant="subtle" me="auto" onClick={onDownload}>
              {t('common.Download')}
            </Button>
            <Button variant="subtle" onClick={close}>
              {t('common.Cancel')}
            </Button>
            <Button type="submit" data-autofocus loading={form.isSaving}>
              {t('files.Extract')}
            </Button>
          </Group>
        </Stack>
      </SaveForm>
    </Modal>
  )
}

interface ChoiceProps<T extends string>
  extends Pick<ComponentProps<typeof Input.Wrapper>, 'label' | 'error'>,
    SegmentedControlProps<T> {}

function Choice<T extends string>({ label, error, ...control }: ChoiceProps<T>) {
  const labelId = useId()
  return (
    <Input.Wrapper label={label} error={error} labelElement="div" labelProps={{ id: labelId }}>
      <SegmentedControl aria-labelledby={labelId} fullWidth {...control} />
    </Input.Wrapper>
  )
}
