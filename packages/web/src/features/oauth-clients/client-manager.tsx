import { type ClientCredentials, type OAuth2Client, unusedAfterMs } from '@innkeeper/contract/accounts/oauth2'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import { Badge, Box, Button, Group, Modal, Paper, Stack, Table, Text, VisuallyHidden } from '@mantine/core'
import { IconCircleCheck, IconPencil, IconPlus, IconTrash } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { CopyField } from '../../ui/fields/copy-field.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { CardTable } from '../../ui/lists/card-table.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { ApiLink } from './api-link.tsx'
import { ClientDialog } from './client-dialog.tsx'
import { toBody } from './client-form.ts'

/** The request body of a new client. */
type NewClient = ReturnType<typeof toBody>

interface ClientChange extends NewClient {
  readonly isPaused: boolean
}

interface ClientManagerProps {
  /** The name of the draft of a new client. */
  readonly draftId: string
  readonly title: string
  readonly query: UseQueryResult<readonly OAuth2Client[], Refusal>
  /** The server of the clients; `undefined` for those of the account. */
  readonly server?: string
  readonly create: (client: NewClient) => Promise<ClientCredentials>
  readonly put: (id: string, client: ClientChange) => Promise<unknown>
  readonly remove: (id: string) => Promise<boolean>
  /** What a new client can do; shown with its secret. */
  readonly access: string
  readonly hint?: string
  readonly warning?: ReactNode
}

/** Lists OAuth2 clients, creates and deletes them. */
export function ClientManager(props: ClientManagerProps) {
  const { draftId, title, query, server, create, put, remove, access, hint, warning } = props
  const t = useT()
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<ClientCredentials>()
  const [edited, setEdited] = useState<OAuth2Client>()
  const createButton = useRef<HTMLButtonElement>(null)

  return (
    <Paper>
      <CardHeader title={title} description={hint}>
        <Group gap="sm">
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
        </Group>
      </CardHeader>
      {warning && (
        <Box px="md" pt="sm">
          {warning}
        </Box>
      )}
      <ClientList title={title} query={query} remove={remove} onEdit={setEdited} />
      {isCreating && (
        <ClientDialog
          draftId={draftId}
          server={server}
          send={(draft) => create(toBody(draft, {}, server))}
          onClose={() => setIsCreating(false)}
          onSaved={(credentials) => {
            setIsCreating(false)
            setCreated(credentials)
          }}
        />
      )}
      {edited && (
        <ClientDialog
          draftId={`${draftId}-${edited.client_id}`}
          server={server}
          client={edited}
          send={(draft) => put(edited.client_id, { ...toBody(draft, edited, server), isPaused: draft.isPaused })}
          onClose={() => setEdited(undefined)}
          onSaved={() => {
            toast.success(t('common.Saved'))
            setEdited(undefined)
          }}
        />
      )}
      {created && (
        <CredentialsDialog
          credentials={created}
          access={access}
          onClose={() => {
            setCreated(undefined)
            createButton.current?.focus()
          }}
        />
      )}
    </Paper>
  )
}

interface ClientListProps extends Pick<ClientManagerProps, 'title' | 'query' | 'remove'> {
  readonly onEdit: (client: OAuth2Client) => void
}

function ClientList({ title, query, remove, onEdit }: ClientListProps) {
  const t = useT()
  return (
    <QueryState
      query={query}
      errorTitle={t('oauth.LoadFailed')}
      isEmpty={(clients) => clients.length === 0}
      empty={
        <Text px="md" py="lg" variant="note">
          {t('oauth.Empty')}
        </Text>
      }
    >
      {(clients) => (
        <CardTable layout="fixed" horizontalSpacing="md" aria-label={title}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t('common.Name')}</Table.Th>
              <Table.Th w="30%">{t('oauth.ClientId')}</Table.Th>
              <Table.Th w="35%">{t('common.Description')}</Table.Th>
              <Table.Th w="6rem">
                <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {clients.map((client) => (
              <ClientRow key={client.client_id} client={client} remove={remove} onEdit={onEdit} />
            ))}
          </Table.Tbody>
        </CardTable>
      )}
    </QueryState>
  )
}

interface ClientRowProps extends Pick<ClientListProps, 'remove' | 'onEdit'> {
  readonly client: OAuth2Client
}

function ClientRow({ client, remove, onEdit }: ClientRowProps) {
  const t = useT()
  const confirm = useConfirm()
  const name = client.name || t('oauth.Unnamed')

  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({
      title: t('common.DeleteQuestion', { name }),
      body: t('oauth.DeleteBody'),
      action: t('oauth.Delete'),
      acknowledgement: t('oauth.DeleteUnderstood'),
    })
    if (isConfirmed && (await remove(client.client_id))) toast.success(t('common.Deleted', { name }))
  }
  return (
    <Table.Tr style={{ overflowWrap: 'anywhere' }}>
      <Table.Td flex={1}>
        <Text inherit component="bdi" {...(client.name ? { fw: 500 } : { c: 'dimmed' })}>
          {name}
        </Text>
        <ClientStatus client={client} />
      </Table.Td>
      <Table.Td flex="1 0 100%" maw="100%">
        <Group gap="2xs" wrap="nowrap" c="dimmed" miw={0}>
          <CodeText truncate>{client.client_id}</CodeText>
          <CopyButton value={client.client_id} label={t('oauth.CopyIdOf', { name })} size={26} />
        </Group>
      </Table.Td>
      <Table.Td flex="1 0 100%">
        <Text component="bdi" variant="note">
          {client.description || '—'}
        </Text>
      </Table.Td>
      <Table.Td ta="end" style={{ order: -1 }}>
        <Group gap="3xs" wrap="nowrap" justify="flex-end">
          <IconButton label={t('common.EditNamed', { name })} tooltip={t('common.Edit')} onClick={() => onEdit(client)}>
            <IconPencil size={17} aria-hidden />
          </IconButton>
          <IconButton
            label={t('common.DeleteNamed', { name })}
            tooltip={t('common.Delete')}
            onClick={() => void confirmAndRemove()}
          >
            <IconTrash size={17} aria-hidden />
          </IconButton>
        </Group>
      </Table.Td>
    </Table.Tr>
  )
}

/** The last use of a client, and why it does not work or has fewer permissions than its owner. */
function ClientStatus({ client }: { readonly client: OAuth2Client }) {
  const t = useT()
  const { relative, shortDateTime } = useFormatters()
  const { limits = {}, until, isPaused, createdAt, lastUsedAt } = client
  const end = until === undefined ? undefined : Date.parse(until)
  const hasEnded = end !== undefined && end <= Date.now()
  const since = Date.parse(lastUsedAt ?? createdAt ?? '')
  const isUnused = Date.now() - since > unusedAfterMs
  return (
    <Stack gap="3xs" align="flex-start">
      <Text c="var(--ik-subtle)" fz="xs">
        {lastUsedAt === undefined
          ? t('oauth.NeverUsed')
          : t('oauth.LastUsed', { time: relative(Date.parse(lastUsedAt)) })}
      </Text>
      <Group gap="2xs">
        {isPaused && <Badge color="yellow">{t('oauth.Paused')}</Badge>}
        {hasEnded && <Badge color="yellow">{t('oauth.Ended')}</Badge>}
        {isUnused && <Badge color="yellow">{t('oauth.Unused')}</Badge>}
        {Object.keys(limits).length > 0 && <Badge>{t('oauth.Limited')}</Badge>}
        {end !== undefined && !hasEnded && <Badge>{t('oauth.Until', { time: shortDateTime(end) })}</Badge>}
      </Group>
    </Stack>
  )
}

interface CredentialsDialogProps {
  readonly credentials: ClientCredentials
  readonly access: string
  readonly onClose: () => void
}

/** Shows a secret that cannot be shown again: only its confirm button closes the dialog, not Escape or a click beside it. */
function CredentialsDialog({ credentials, access, onClose }: CredentialsDialogProps) {
  const t = useT()
  return (
    <Modal
      opened
      size={520}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={
        <Group component="span" gap="xs">
          <IconCircleCheck size={20} aria-hidden color="var(--ik-online)" />
          {t('oauth.Created')}
        </Group>
      }
    >
      <Stack>
        <Alert type="warning">{t('oauth.CopyNow')}</Alert>
        <CopyField label={t('oauth.ClientId')} copyLabel={t('oauth.CopyId')} value={credentials.id} />
        <CopyField label={t('oauth.Secret')} copyLabel={t('oauth.CopySecret')} value={credentials.secret} />
        <Text variant="note">{access}</Text>
        <Group justify="space-between" gap="xs">
          <ApiLink />
          <Button onClick={onClose}>{t('oauth.Saved')}</Button>
        </Group>
      </Stack>
    </Modal>
  )
}
