import { type FileWork, type OnExtracting, putFile } from '@innkeeper/contract/files'
import { Button, Modal, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { dirname, joinPath } from '../../api/file-paths.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useT } from '../../i18n/i18n.tsx'
import classes from './dialogs.module.css'
import type { Item } from './entries.ts'
import { folderNameFor, type TakenNames } from './names.ts'

interface ExtractDialogProps {
  readonly server: string
  readonly archive: Item
  /** The names in the folder of the archive. */
  readonly taken: TakenNames
  readonly onWork: (work: FileWork) => void
  readonly onDownload: () => void
  readonly onClose: () => void
}

/** Unpacks an archive: into a folder of its own, or beside it, where nothing is replaced unless the user says so. */
export function ExtractDialog({ server, archive, taken, onWork, onDownload, onClose }: ExtractDialogProps) {
  const t = useT()
  const make = useApiMutation(putFile)
  const [place, setPlace] = useState('own')
  const [existing, setExisting] = useState<OnExtracting>('keepBoth')
  const folder = dirname(archive.path)
  const own = folderNameFor(archive.name, taken)

  const extract = async () => {
    const destination = place === 'here' ? folder : joinPath(folder, own)
    if (place === 'own') {
      const made = make.mutateAsync({ params: { id: server, path: destination }, query: { folder: 'true' } })
      // The refusal was shown already.
      if (!(await made.then(() => true).catch(() => false))) return
    }
    onClose()
    onWork({ kind: 'extract', path: archive.path, destination, existing })
  }
  return (
    <Modal opened onClose={onClose} title={t('files.ExtractNamed', { name: archive.name })}>
      <div className={classes.form}>
        <div className={classes.choice}>
          <span id="files-extract-place">{t('files.ExtractTo')}</span>
          <SegmentedControl
            aria-labelledby="files-extract-place"
            fullWidth
            value={place}
            onChange={setPlace}
            data={[
              { value: 'own', label: t('files.FolderOfItsOwn', { name: own }) },
              { value: 'here', label: t('files.ThisFolder') },
            ]}
          />
        </div>
        {place === 'here' && (
          <div className={classes.choice}>
            <span id="files-extract-existing">{t('files.ExistingFiles')}</span>
            <SegmentedControl
              aria-labelledby="files-extract-existing"
              fullWidth
              value={existing}
              onChange={setExisting}
              data={[
                { value: 'keepBoth', label: t('files.KeepBoth') },
                { value: 'skip', label: t('files.Skip') },
                { value: 'replace', label: t('files.Replace') },
              ]}
            />
          </div>
        )}
        <div className={classes.dialogButtons}>
          <Button variant="subtle" color="gray" onClick={onDownload}>
            {t('files.Download')}
          </Button>
          <span className={classes.grow} />
          <Button variant="subtle" color="gray" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button data-autofocus loading={make.isPending} onClick={() => void extract()}>
            {t('files.Extract')}
          </Button>
        </div>
      </div>
    </Modal>
  )
}
