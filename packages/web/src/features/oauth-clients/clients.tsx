import { getCredentialCounts } from '@innkeeper/contract/accounts/account'
import {
  createAccountClient,
  createServerClient,
  deleteAccountClient,
  deleteServerClient,
  listAccountClients,
  listServerClients,
  putAccountClient,
  putServerClient,
} from '@innkeeper/contract/accounts/oauth2'
import type { ServerView } from '@innkeeper/contract/servers/servers'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { ClientManager } from './client-manager.tsx'

/** The OAuth2 clients with all permissions of the signed-in user. */
export function AccountClients() {
  const t = useT()
  const query = useApiQuery(listAccountClients)
  const create = useApiMutation(createAccountClient, { invalidates: [listAccountClients, getCredentialCounts] })
  const put = useApiMutation(putAccountClient, { invalidates: [listAccountClients] })
  const remove = useApiMutation(deleteAccountClient, { invalidates: [listAccountClients, getCredentialCounts] })
  return (
    <ClientManager
      draftId="oauth-client"
      title={t('oauth.Title')}
      query={query}
      create={(client) => create.mutateAsync({ body: client })}
      put={(id, client) => put.mutateAsync({ params: { id }, body: client })}
      remove={(id) => remove.mutate({ params: { id } })}
      access={t('oauth.AccountAccess')}
      warning={<Alert type="warning">{t('oauth.AccountWarning')}</Alert>}
    />
  )
}

/** The OAuth2 clients with the permissions of the signed-in user on one server. */
export function ServerClients({ server: { id, name } }: { server: ServerView }) {
  const t = useT()
  const query = useApiQuery(listServerClients, { params: { id } })
  const create = useApiMutation(createServerClient, { invalidates: [listServerClients, getCredentialCounts] })
  const put = useApiMutation(putServerClient, { invalidates: [listServerClients] })
  const remove = useApiMutation(deleteServerClient, { invalidates: [listServerClients, getCredentialCounts] })
  return (
    <ClientManager
      draftId={`server-${id}-oauth-client`}
      title={t('oauth.TitleOfServer')}
      query={query}
      create={(client) => create.mutateAsync({ params: { id }, body: client })}
      server={id}
      put={(clientId, client) => put.mutateAsync({ params: { id, clientId }, body: client })}
      remove={(clientId) => remove.mutate({ params: { id, clientId } })}
      access={t('oauth.ServerAccess', { server: name })}
      hint={t('oauth.ServerHint')}
    />
  )
}
