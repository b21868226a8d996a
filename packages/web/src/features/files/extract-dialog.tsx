import { type ExtractConflictPolicy, type FileJobRequest, putFile } from '@innkeeper/contract/files'
import { Button, Group, Input, Modal, SegmentedControl, Stack } from '@mantine/core'
import { useId, useState } from 'react'
import { dirname, joinPath } from '../../api/file-paths.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import type { FileItem } from './entries.ts'
import { type ExistingNames, getExtractFolderName } from './names.ts'

interface ExtractDialogProps {
  readonly server: string
  readonly archive: FileItem
  /** The names in the archive's folder. */
  readonly existingNames: ExistingNames
  readonly onStart: (jobRequest: FileJobRequest) => void
  readonly onDownload: () => void
  readonly onClose: () => void
}

/** Extracts an archive into a new folder, or into the folder that contains it, keeping existing files by default. */
export function ExtractDialog({ server, archive, existingNames, onStart, onDownload, onClose }: ExtractDialogProps) {
  const t = useT()
  const createFolder = useApiMutation(putFile)
  const [target, setTarget] = useState<'newFolder' | 'sameFolder'>('newFolder')
  const [conflictPolicy, setConflictPolicy] = useState<ExtractConflictPolicy>('keepBoth')
  const folder = dirname(archive.path)
  const newFolder = getExtractFolderName(archive.name, existingNames)

  const extract = async () => {
    const destination = target === 'sameFolder' ? folder : joinPath(folder, newFolder)
    const input = { params: { id: server, path: destination }, query: { folder: 'true' } }
    if (target === 'newFolder' && !(await createFolder.mutate(input))) return
    onClose()
    onStart({ kind: 'extract', path: archive.path, destination, existing: conflictPolicy })
  }
  return (
    <Modal opened onClose={onClose} title={t('files.ExtractNamed', { name: archive.name })}>
      <Stack gap="md">
        <Choice
          label={t('files.ExtractTo')}
          value={target}
          onChange={setTarget}
          data={[
            { value: 'newFolder', label: t('files.NewFolderNamed', { name: newFolder }) },
            { value: 'sameFolder', label: t('files.ThisFolder') },
          ]}
        />
        {target === 'sameFolder' && (
          <Choice
            label={t('files.ExistingFiles')}
            value={conflictPolicy}
            onChange={setConflictPolicy}
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
          <Button variant="subtle" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button data-autofocus loading={createFolder.isPending} onClick={() => void extract()}>
            {t('files.Extract')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}

interface ChoiceProps<T extends string> {
  readonly label: string
  readonly value: T
  readonly onChange: (value: T) => void
  readonly data: { readonly value: T; readonly label: string }[]
}

function Choice<T extends string>({ label, ...control }: ChoiceProps<T>) {
  const labelId = useId()
  return (
    <Input.Wrapper label={label} labelElement="div" labelProps={{ id: labelId }}>
      <SegmentedControl aria-labelledby={labelId} fullWidth {...control} />
    </Input.Wrapper>
  )
}
