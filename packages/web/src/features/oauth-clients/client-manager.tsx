import type { ClientCredentials, OAuth2Client } from '@innkeeper/contract/oauth2'
import type { Refusal } from '@innkeeper/contract/refusals'
import { ActionIcon, Button, Paper, Skeleton } from '@mantine/core'
import { IconPlus, IconTrash } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import { ApiLink } from './api-link.tsx'
import { CreateDialog } from './create-dialog.tsx'
import { CredentialsDialog } from './credentials-dialog.tsx'
import classes from './oauth-clients.module.css'

/** What a person says about a new client. */
export interface NewClient {
  readonly name: string
  readonly description: string
  /** Asked for when the login is not recent. */
  readonly password?: string
}

interface ClientManagerProps {
  readonly title: string
  readonly list: UseQueryResult<readonly OAuth2Client[], Refusal>
  readonly create: (client: NewClient) => Promise<ClientCredentials>
  readonly remove: (id: string) => Promise<void>
  /** What a new client can do, said where its secret is shown. */
  readonly reach: string
  readonly hint?: string
  readonly warning?: ReactNode
}

/** Programs' own credentials: what there is, a new one, and the end of one. */
export function ClientManager({ title, list, create, remove, reach, hint, warning }: ClientManagerProps) {
  const t = useT()
  const confirm = useConfirm()
  const isLate = useDelayed(list.isPending)
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<ClientCredentials>()
  const createButton = useRef<HTMLButtonElement>(null)
  const nameOf = (client: OAuth2Client) => client.name || t('oauth.Unnamed')

  const askAndRemove = async (client: OAuth2Client) => {
    const isWanted = await confirm({
      title: t('oauth.DeleteTitle', { name: nameOf(client) }),
      body: t('oauth.DeleteBody'),
      action: t('oauth.Delete'),
      acknowledgement: t('oauth.DeleteUnderstood'),
      danger: true,
    })
    if (!isWanted) return
    try {
      await remove(client.client_id)
    } catch {
      // It was told already, and the client is still there.
      return
    }
    toast.success(t('oauth.Deleted', { name: nameOf(client) }))
  }

  return (
    <Paper>
      <div className={classes.head}>
        <div>
          <h2>{title}</h2>
          {hint && <p>{hint}</p>}
        </div>
        <ApiLink />
        <Button
          ref={createButton}
          size="xs"
          variant="default"
          leftSection={<IconPlus size={16} aria-hidden />}
          onClick={() => setIsCreating(true)}
        >
          {t('oauth.Create')}
        </Button>
      </div>
      {warning && <div className={classes.warning}>{warning}</div>}
      {list.isError && !list.data ? (
        <QueryError title={t('oauth.LoadFailed')} error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        isLate && <Skeleton h={48} m="md" w="auto" aria-label={t('common.Loading')} />
      ) : list.data.length === 0 ? (
        <p className={classes.empty}>{t('oauth.Empty')}</p>
      ) : (
        <>
          <div className={`${classes.row} ${classes.labels}`} aria-hidden>
            <span>{t('oauth.Name')}</span>
            <span>{t('oauth.ClientId')}</span>
            <span>{t('oauth.Description')}</span>
          </div>
          <ul className={classes.list} aria-label={title}>
            {list.data.map((client) => (
              <li key={client.client_id} className={classes.row}>
                <bdi className={client.name ? classes.name : classes.unnamed}>{nameOf(client)}</bdi>
                <span className={classes.id}>
                  <CodeText>{client.client_id}</CodeText>
                  <CopyButton
                    value={client.client_id}
                    label={t('oauth.CopyIdOf', { name: nameOf(client) })}
                    size={26}
                  />
                </span>
                <bdi className={classes.description}>{client.description || '—'}</bdi>
                <ActionIcon
                  className={classes.delete ?? ''}
                  aria-label={t('oauth.DeleteOf', { name: nameOf(client) })}
                  data-tip={t('common.Delete')}
                  onClick={() => void askAndRemove(client)}
                >
                  <IconTrash size={17} aria-hidden />
                </ActionIcon>
              </li>
            ))}
          </ul>
        </>
      )}
      {isCreating && (
        <CreateDialog
          create={create}
          onClose={() => setIsCreating(false)}
          onCreated={(credentials) => {
            setIsCreating(false)
            setCreated(credentials)
          }}
        />
      )}
      {created && (
        <CredentialsDialog
          credentials={created}
          reach={reach}
          onSaved={() => {
            setCreated(undefined)
            createButton.current?.focus()
          }}
        />
      )}
    </Paper>
  )
}
