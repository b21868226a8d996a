import type { ServerView } from '@innkeeper/contract/servers'
import { Modal, Stack } from '@mantine/core'
import { dirname } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { DialogButtons } from '../../ui/dialog-buttons.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import { ExtractDialog } from './extract-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import type { ExistingNames } from './names.ts'
import { TransferDialog } from './transfer-dialog.tsx'
import { TrashDialog } from './trash-dialog.tsx'
import type { DialogState, useFileActions } from './use-file-actions.tsx'

interface DialogsProps {
  readonly server: Pick<ServerView, 'id'>
  readonly path: string
  readonly names: ExistingNames
  readonly canWrite: boolean
  readonly actions: ReturnType<typeof useFileActions>
}

/** The dialog that is open, if any. */
export function Dialogs(props: DialogsProps) {
  const { dialog } = props.actions
  return dialog && <Dialog {...props} dialog={dialog} />
}

function Dialog({ server, path, names, canWrite, actions, dialog }: DialogsProps & { readonly dialog: DialogState }) {
  const t = useT()
  const { openDialog, startJobs, create, rename, download } = actions
  const close = () => openDialog(undefined)
  useReturnFocus()
  if (dialog.type === 'create') {
    const { itemType } = dialog
    return (
      <NameDialog
        title={t(itemType === 'file' ? 'files.NewFile' : 'files.NewFolder')}
        action={t('files.Create')}
        existing={names}
        onSubmit={(name) => create(itemType, name)}
        onClose={close}
      />
    )
  }
  if (dialog.type === 'rename') {
    const { item } = dialog
    return (
      <NameDialog
        title={t('common.RenameNamed', { name: item.name })}
        action={t('common.Rename')}
        name={item.name}
        existing={dirname(item.path) === path ? names : noNames}
        onSubmit={(name) => rename(item, name)}
        onClose={close}
      />
    )
  }
  if (dialog.type === 'transfer') {
    return (
      <TransferDialog
        server={server.id}
        mode={dialog.mode}
        items={dialog.items}
        folder={path}
        onStart={(work) => void startJobs(work)}
        onClose={close}
      />
    )
  }
  if (dialog.type === 'trash') return <TrashDialog server={server.id} canWrite={canWrite} onClose={close} />
  const { item } = dialog
  const downloadInstead = () => {
    close()
    void download([item])
  }
  if (dialog.type === 'extract') {
    return (
      <ExtractDialog
        server={server.id}
        archive={item}
        existing={names}
        onStart={(work) => void startJobs([work])}
        onDownload={downloadInstead}
        onClose={close}
      />
    )
  }
  return (
    <Modal opened onClose={close} title={item.name}>
      <Stack gap="md">
        {t('files.TooLargeToEdit')}
        <DialogButtons onCancel={close} data-autofocus onClick={downloadInstead}>
          {t('common.Download')}
        </DialogButtons>
      </Stack>
    </Modal>
  )
}

const noNames: ExistingNames = new Map()
