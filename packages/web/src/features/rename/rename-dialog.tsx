import { getServer, listServers, renameServer } from '@innkeeper/contract/servers'
import { Button, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, use, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { getQueryKey } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { serverNameError } from '../../ui/server-name.ts'
import classes from './rename.module.css'

interface RenameDialogProps {
  readonly server: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}

/** Gives a server another name. The name shows at once, and goes back when the panel says no. */
export function RenameDialog({ server, onClose }: RenameDialogProps) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const queries = useQueryClient()
  const rename = useApiMutation(renameServer, { silent: true, invalidates: [listServers] })
  const [name, setName] = useState(server.name)
  const [refusal, setRefusal] = useState<unknown>()
  const [isFinished, setIsFinished] = useState(false)
  const problem = refusal === undefined ? serverNameError(t, name, { isFinished }) : errorMessage(t, refusal)

  const show = (shown: string) => {
    queries.setQueriesData<{ server: { name: string } }>({ queryKey: getQueryKey(getServer) }, (answer) =>
      answer && isOf(answer, server.id) ? { ...answer, server: { ...answer.server, name: shown } } : answer,
    )
  }
  const save = async () => {
    const wanted = name.trim()
    if (wanted === server.name) return onClose()
    setIsFinished(true)
    if (serverNameError(t, wanted, { isFinished: true })) return
    show(wanted)
    try {
      await rename.mutateAsync({ params: { id: server.id, name: wanted } })
      onClose()
    } catch (error) {
      show(server.name)
      if (isRefusal(error) && (error.code === 'ErrDuplicateServerName' || error.metadata.field === 'name')) {
        setRefusal(error)
      } else tell(error)
    }
  }

  return (
    <Modal opened onClose={onClose} title={t('server.Rename')}>
      <form
        className={classes.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextInput
          data-autofocus
          label={t('server.Name')}
          value={name}
          autoComplete="off"
          onChange={(event) => {
            setName(event.currentTarget.value)
            setRefusal(undefined)
          }}
          error={problem}
        />
        <div className={classes.buttons}>
          <Button variant="subtle" color="gray" onClick={onClose}>
            {t('common.Cancel')}
          </Button>
          <Button type="submit" loading={rename.isPending}>
            {t('common.Save')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function isOf(answer: object, id: string): boolean {
  return 'server' in answer && (answer.server as { id?: unknown }).id === id
}
