import { refusalOfInput } from '@innkeeper/contract/accept'
import { ServerName } from '@innkeeper/contract/names'
import { getServer, listServers, renameServer } from '@innkeeper/contract/servers'
import { Button, Modal, TextInput } from '@mantine/core'
import { useQueryClient } from '@tanstack/react-query'
import { type FormEvent, use, useState } from 'react'
import { z } from 'zod'
import { isRefusal } from '../../api/request.ts'
import { keyOf } from '../../api/use-call.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { messageOf } from '../../ui/refusal.tsx'
import classes from './rename.module.css'

const Named = z.object({ name: ServerName })

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
  const [objection, setObjection] = useState<unknown>()

  const show = (shown: string) => {
    queries.setQueriesData<{ server: { name: string } }>({ queryKey: keyOf(getServer) }, (answer) =>
      answer && isOf(answer, server.id) ? { ...answer, server: { ...answer.server, name: shown } } : answer,
    )
  }
  const save = async () => {
    const wanted = name.trim()
    if (wanted === server.name) return onClose()
    const judged = Named.safeParse({ name: wanted })
    if (!judged.success) return setObjection(refusalOfInput(judged.error))
    show(wanted)
    try {
      await rename.send({ params: { id: server.id, name: wanted } })
      onClose()
    } catch (refusal) {
      show(server.name)
      if (isRefusal(refusal) && (refusal.code === 'ErrDuplicateServerName' || refusal.metadata.field === 'name')) {
        setObjection(refusal)
      } else tell(refusal)
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
          maxLength={40}
          autoComplete="off"
          onChange={(event) => {
            setName(event.currentTarget.value)
            setObjection(undefined)
          }}
          error={objection === undefined ? undefined : messageOf(text, objection)}
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
