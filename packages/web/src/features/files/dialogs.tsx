import { limits } from '@innkeeper/contract/text/limits'
import { Modal, Stack, TextInput } from '@mantine/core'
import { dirname } from '../../api/file-paths.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { DialogButtons } from '../../ui/overlays/dialog-buttons.tsx'
import { useReturnFocus } from '../../ui/overlays/use-return-focus.ts'
import { ExtractDialog } from './extract-dialog.tsx'
import { type ExistingNames, validateName } from './names.ts'
import { TransferDialog } from './transfer-dialog.tsx'
import { TrashDialog } from './trash/trash-dialog.tsx'
import type { DialogState } from './use-file-actions.tsx'
import type { FileBrowserState } from './use-file-browser.ts'

/** The dialog that is open, if any. */
export function Dialogs({ browser }: { browser: FileBrowserState }) {
  const { dialog } = browser.actions
  return dialog && <Dialog browser={browser} dialog={dialog} />
}

function Dialog({ browser, dialog }: { browser: FileBrowserState; dialog: DialogState }) {
  const { server, path, canWrite, actions } = browser
  const { names } = browser.listed
  const { startAsync } = browser.jobs
  const t = useT()
  const { fileSize } = useFormatters()
  const { openDialog, create, rename, download } = actions
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
        onStart={startAsync}
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
        existingNames={names}
        onStart={startAsync}
        onDownload={downloadInstead}
        onClose={close}
      />
    )
  }
  return (
    <Modal opened onClose={close} title={item.name}>
      <Stack gap="md">
        {t('file-editor.TooLargeToOpen', { max: fileSize(limits.editableFileBytes) })}
        <DialogButtons onCancel={close} data-autofocus onClick={downloadInstead}>
          {t('common.Download')}
        </DialogButtons>
      </Stack>
    </Modal>
  )
}

const noNames: ExistingNames = new Map()

interface NameDialogProps {
  readonly title: string
  /** The text of the submit button. */
  readonly action: string
  /** The current name. Its stem is selected, so that typing keeps the extension. */
  readonly name?: string
  readonly existing: ExistingNames
  /** Rejects with the `Refusal` if it failed. */
  readonly onSubmit: (name: string) => Promise<void>
  readonly onClose: () => void
}

/** Error codes that are about the name. */
const nameCodes = {
  ErrFileExists: 'name',
  ErrIllegalFileAccess: 'name',
  ErrNotAFile: 'name',
  ErrFileNotFound: 'name',
} as const

/** Asks for the name of a new file or folder, or for another name. */
function NameDialog({ title, action, name: initialName = '', existing, onSubmit, onClose }: NameDialogProps) {
  const t = useT()
  const validate = (name: string) => (name === initialName ? undefined : validateName(name, existing))
  const form = useSubmitForm({
    initialValues: { name: initialName },
    fieldByCode: nameCodes,
    send: async ({ name }) => {
      if (name !== initialName) await onSubmit(name)
    },
    onSaved: onClose,
  })
  const { name } = form.values
  const error = validate(name)

  return (
    <SubmitDialog
      form={form}
      title={title}
      action={action}
      canSave={name !== '' && error === undefined}
      onClose={onClose}
    >
      <TextInput
        data-autofocus
        label={t('common.Name')}
        dir="auto"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        {...form.field('name')}
        onFocus={({ currentTarget }) => {
          const dot = initialName.lastIndexOf('.')
          currentTarget.setSelectionRange(0, dot > 0 ? dot : initialName.length)
        }}
        error={error === undefined ? form.errors.name : t(error)}
      />
    </SubmitDialog>
  )
}
