import type { ServerView } from '@innkeeper/contract/servers'
import { Button, Modal } from '@mantine/core'
import { dirname } from '../../api/file-paths.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useReturnFocus } from '../../ui/use-return-focus.ts'
import classes from './dialogs.module.css'
import { ExtractDialog } from './extract-dialog.tsx'
import { NameDialog } from './name-dialog.tsx'
import type { TakenNames } from './names.ts'
import { TransferDialog } from './transfer-dialog.tsx'
import type { Asking, useFileActions } from './use-file-actions.tsx'

interface DialogsProps {
  readonly server: Pick<ServerView, 'id'>
  readonly path: string
  readonly names: TakenNames
  readonly actions: ReturnType<typeof useFileActions>
}

/** What is being asked in front of the list. */
export function Dialogs(props: DialogsProps) {
  const { asking } = props.actions
  return asking && <Dialog {...props} asking={asking} />
}

function Dialog({ server, path, names, actions, asking }: DialogsProps & { readonly asking: Asking }) {
  const t = useT()
  const { ask, begin, create, rename, download } = actions
  const close = () => ask(undefined)
  useReturnFocus()
  if (asking.is === 'create') {
    const { kind } = asking
    return (
      <NameDialog
        title={t(kind === 'file' ? 'files.NewFile' : 'files.NewFolder')}
        action={t('files.Create')}
        taken={names}
        onName={(name) => create(kind, name)}
        onClose={close}
      />
    )
  }
  if (asking.is === 'rename') {
    const { item } = asking
    return (
      <NameDialog
        title={t('files.RenameNamed', { name: item.name })}
        action={t('files.Rename')}
        name={item.name}
        taken={dirname(item.path) === path ? names : noNames}
        onName={(name) => rename(item, name)}
        onClose={close}
      />
    )
  }
  if (asking.is === 'transfer') {
    return (
      <TransferDialog
        server={server.id}
        kind={asking.kind}
        items={asking.items}
        folder={path}
        onWork={(work) => void begin(work)}
        onClose={close}
      />
    )
  }
  const { item } = asking
  if (asking.is === 'extract') {
    return (
      <ExtractDialog
        server={server.id}
        archive={item}
        taken={names}
        onWork={(work) => void begin([work])}
        onDownload={() => {
          close()
          void download([item])
        }}
        onClose={close}
      />
    )
  }
  return (
    <Modal opened onClose={close} title={item.name}>
      <p>{t('files.TooLargeToEdit')}</p>
      <div className={classes.dialogButtons}>
        <Button variant="subtle" color="gray" onClick={close}>
          {t('common.Cancel')}
        </Button>
        <Button
          data-autofocus
          onClick={() => {
            close()
            void download([item])
          }}
        >
          {t('files.Download')}
        </Button>
      </div>
    </Modal>
  )
}

const noNames: TakenNames = new Map()
