import type { ClientCredentials, OAuth2Client } from '@innkeeper/contract/accounts/oauth2'
import type { Refusal } from '@innkeeper/contract/errors/refusals'
import {
  Box,
  Button,
  Group,
  Modal,
  Paper,
  Stack,
  Table,
  Text,
  Textarea,
  TextInput,
  VisuallyHidden,
} from '@mantine/core'
import { IconCircleCheck, IconPlus, IconTrash } from '@tabler/icons-react'
import type { UseQueryResult } from '@tanstack/react-query'
import { type ReactNode, useRef, useState } from 'react'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
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

/** The request body of a new client. */
export interface NewClient {
  readonly name: string
  readonly description: string
}

interface ClientManagerProps {
  /** The name of the draft of a new client. */
  readonly draftId: string
  readonly title: string
  readonly query: UseQueryResult<readonly OAuth2Client[], Refusal>
  readonly create: (client: NewClient) => Promise<ClientCredentials>
  readonly remove: (id: string) => Promise<boolean>
  /** What a new client can do; shown with its secret. */
  readonly access: string
  readonly hint?: string
  readonly warning?: ReactNode
}

/** Lists OAuth2 clients, creates and deletes them. */
export function ClientManager(props: ClientManagerProps) {
  const { draftId, title, query, create, remove, access, hint, warning } = props
  const t = useT()
  const [isCreating, setIsCreating] = useState(false)
  const [created, setCreated] = useState<ClientCredentials>()
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
      <ClientList title={title} query={query} remove={remove} />
      {isCreating && (
        <CreateDialog
          draftId={draftId}
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

function ClientList({ title, query, remove }: Pick<ClientManagerProps, 'title' | 'query' | 'remove'>) {
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
              <Table.Th w="4rem">
                <VisuallyHidden>{t('common.Actions')}</VisuallyHidden>
              </Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {clients.map((client) => (
              <ClientRow key={client.client_id} client={client} remove={remove} />
            ))}
          </Table.Tbody>
        </CardTable>
      )}
    </QueryState>
  )
}

function ClientRow({ client, remove }: { client: OAuth2Client; remove: ClientManagerProps['remove'] }) {
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
        <IconButton
          label={t('common.DeleteNamed', { name })}
          tooltip={t('common.Delete')}
          onClick={() => void confirmAndRemove()}
        >
          <IconTrash size={17} aria-hidden />
        </IconButton>
      </Table.Td>
    </Table.Tr>
  )
}

interface CreateDialogProps extends Pick<ClientManagerProps, 'draftId' | 'create'> {
  readonly onClose: () => void
  readonly onCreated: (credentials: ClientCredentials) => void
}

/** Asks for name and description of a new client, both optional. */
function CreateDialog({ draftId, create, onClose, onCreated }: CreateDialogProps) {
  const t = useT()
  const form = useSubmitForm({
    id: draftId,
    initialValues: { name: '', description: '' },
    send: create,
    onSaved: onCreated,
  })

  return (
    <SubmitDialog form={form} title={t('oauth.CreateTitle')} action={t('oauth.Create')} onClose={onClose}>
      <TextInput {...form.field('name')} data-autofocus label={t('common.Name')} maxLength={100} autoComplete="off" />
      <Textarea
        {...form.field('description')}
        label={t('common.Description')}
        placeholder={t('oauth.DescriptionHint')}
        maxLength={500}
        rows={3}
      />
    </SubmitDialog>
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
