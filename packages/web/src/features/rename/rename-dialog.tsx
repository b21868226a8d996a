import { getServer, listServers, renameServer } from '@innkeeper/contract/servers'
import { Button, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, use, useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import { serverNameProblem } from '../../ui/server-name.ts'
import classes from './rename.module.css'

interface RenameDialogProps {
  readonly server: { readonly id: string; readonly name: string }
  readonly onClose: () => void
}

/** Gives a server another name. The name shows at once, and goes back when the panel says no. */
export function RenameDialog({ server, onClose }: RenameDialogProps) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const queries = useQueryClient()
  const rename = useSend(renameServer, { quiet: true, refreshes: [listServers] })
  const [name, setName] = useState(server.name)
  const [refusal, setRefusal] = useState<unknown>()
  const [isFinished, setIsFinished] = useState(false)
  const problem = refusal === undefined ? serverNameProblem(text, name, { isFinished }) : messageOf(text, refusal)

  const show = (shown: string) => {
    queries.setQueriesData<{ server: { name: string } }>({ queryKey: keyOf(getServer) }, (answer) =>
      answer && isOf(answer, server.id) ? { ...answer, server: { ...answer.server, name: shown } } : answer,
    )
  }
  const save = async () => {
    const wanted = name.trim()
    if (wanted === server.name) return onClose()
    setIsFinished(true)
    if (serverNameProblem(text, wanted, { isFinished: true })) return
    show(wanted)
    try {
      await rename.send({ params: { id: server.id, name: wanted } })
      onClose()
    } catch (error) {
      show(server.name)
      if (isRefusal(error) && (error.code === 'ErrDuplicateServerName' || error.metadata.field === 'name')) {
        setRefusal(error)
      } else tell(error)
    }
  }

  return (
    <Modal
      opened
      onClose={onClose}
      title={text('server.Rename')}
      closeButtonProps={{ 'aria-label': text('common.Close') }}
    >
      <form
        className={classes.form}
        onSubmit={(event: FormEvent) => {
          event.preventDefault()
          void save()
        }}
      >
        <TextInput
          data-autofocus
          label={text('server.Name')}
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
            {text('common.Cancel')}
          </Button>
          <Button type="submit" loading={rename.pending}>
            {text('common.Save')}
          </Button>
        </div>
      </form>
    </Modal>
  )
}

function isOf(answer: object, id: string): boolean {
  return 'server' in answer && (answer.server as { id?: unknown }).id === id
}
