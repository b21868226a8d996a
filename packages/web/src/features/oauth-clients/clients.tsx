import {
  createAccountClient,
  createServerClient,
  deleteAccountClient,
  deleteServerClient,
  listAccountClients,
  listServerClients,
} from '@innkeeper/contract/oauth2'
import type { ServerView } from '@innkeeper/contract/servers'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { ClientManager } from './client-manager.tsx'

/** The clients that act with all rights of the person who is logged in. */
export function AccountClients() {
  const t = useT()
  const list = useApiQuery(listAccountClients)
  const create = useApiMutation(createAccountClient, { silent: true, invalidates: [listAccountClients] })
  const remove = useApiMutation(deleteAccountClient, { invalidates: [listAccountClients] })
  return (
    <ClientManager
      title={t('oauth.Title')}
      list={list}
      create={(client) => create.mutateAsync({ body: client })}
      remove={(id) => remove.mutateAsync({ params: { id } })}
      reach={t('oauth.ReachOfAccount')}
      warning={<Alert type="warning">{t('oauth.AccountWarning')}</Alert>}
    />
  )
}

/** A person's own clients on one server. */
export function ServerClients({ server }: { server: ServerView }) {
  const t = useT()
  const of = { id: server.id }
  const list = useApiQuery(listServerClients, { params: of })
  const create = useApiMutation(createServerClient, { silent: true, invalidates: [listServerClients] })
  const remove = useApiMutation(deleteServerClient, { invalidates: [listServerClients] })
  return (
    <ClientManager
      title={t('oauth.TitleOfServer')}
      list={list}
      create={(client) => create.mutateAsync({ params: of, body: client })}
      remove={(clientId) => remove.mutateAsync({ params: { ...of, clientId } })}
      reach={t('oauth.ReachOfServer', { server: server.name })}
      hint={t('oauth.ServerHint')}
    />
  )
}
