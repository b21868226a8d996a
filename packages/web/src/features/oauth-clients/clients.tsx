import {
  createAccountClient,
  createServerClient,
  deleteAccountClient,
  deleteServerClient,
  listAccountClients,
  listServerClients,
} from '@innkeeper/contract/oauth2'
import type { ServerView } from '@innkeeper/contract/servers'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ClientManager } from './client-manager.tsx'

/** The clients that act with all rights of the person who is logged in. */
export function AccountClients() {
  const text = useText()
  const list = useCall(listAccountClients)
  const create = useSend(createAccountClient, { quiet: true, refreshes: [listAccountClients] })
  const remove = useSend(deleteAccountClient, { refreshes: [listAccountClients] })
  return (
    <ClientManager
      title={text('oauth.Title')}
      list={list}
      create={(client) => create.send({ body: client })}
      remove={(id) => remove.send({ params: { id } })}
      reach={text('oauth.ReachOfAccount')}
      warning={<Notice kind="warning">{text('oauth.AccountWarning')}</Notice>}
    />
  )
}

/** A person's own clients on one server. */
export function ServerClients({ server }: { server: ServerView }) {
  const text = useText()
  const of = { id: server.id }
  const list = useCall(listServerClients, { params: of })
  const create = useSend(createServerClient, { quiet: true, refreshes: [listServerClients] })
  const remove = useSend(deleteServerClient, { refreshes: [listServerClients] })
  return (
    <ClientManager
      title={text('oauth.TitleOfServer')}
      list={list}
      create={(client) => create.send({ params: of, body: client })}
      remove={(clientId) => remove.send({ params: { ...of, clientId } })}
      reach={text('oauth.ReachOfServer', { server: server.name })}
      hint={text('oauth.ServerHint')}
    />
  )
}
