import {
  createOidcProvider,
  deleteOidcProvider,
  listOidcProviders,
  type OidcProvider,
  putOidcProvider,
} from '@innkeeper/contract/accounts/oidc'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { Group, Paper, PasswordInput, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CopyField } from '../../ui/fields/copy-field.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'

const stale = { invalidates: [listOidcProviders, getConfig] }

/** The providers of OpenID Connect that users can sign in with. */
export function OidcProvidersCard({ id }: { id: string }) {
  const t = useT()
  const query = useApiQuery(listOidcProviders)
  const [edited, setEdited] = useState<OidcProvider | 'new'>()
  return (
    <Paper component="section" id={id} aria-label={t('oidc.Title')} style={{ scrollMarginBlockStart: '1.25rem' }}>
      <CardHeader title={t('oidc.Title')}>
        <AddButton onClick={() => setEdited('new')}>{t('oidc.Add')}</AddButton>
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('oidc.LoadFailed')}
        isEmpty={(providers) => providers.length === 0}
        empty={
          <Text px="md" py="lg" variant="note">
            {t('oidc.None')} <DocsLink to="openid-connect">{t('oidc.Docs')}</DocsLink>
          </Text>
        }
      >
        {(providers) => (
          <RowList label={t('oidc.Title')}>
            {providers.map((provider) => (
              <ProviderRow key={provider.id} provider={provider} onEdit={() => setEdited(provider)} />
            ))}
          </RowList>
        )}
      </QueryState>
      {edited && (
        <ProviderDialog provider={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
      )}
    </Paper>
  )
}

function ProviderRow({ provider, onEdit }: { provider: OidcProvider; onEdit: () => void }) {
  const t = useT()
  const confirm = useConfirm()
  const { id, name, issuer, redirectUrl } = provider
  const remove = useApiMutation(deleteOidcProvider, {
    ...stale,
    onSuccess: () => toast.success(t('common.Deleted', { name })),
  })
  const confirmAndRemove = () =>
    confirm({
      title: t('common.DeleteQuestion', { name }),
      body: t('oidc.DeleteBody'),
      onConfirm: () => remove.mutate({ params: { id } }),
    })
  return (
    <Stack component="li" px="md" py="sm" gap="xs">
      <Group gap="sm" wrap="nowrap">
        <Stack gap={0} flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          <Text fw={500}>
            <bdi>{name}</bdi>
          </Text>
          <Text variant="caption">
            <bdi>{issuer}</bdi>
          </Text>
        </Stack>
        <Group gap="2xs" wrap="nowrap">
          <IconButton label={t('common.EditNamed', { name })} onClick={onEdit}>
            <IconPencil size={17} aria-hidden />
          </IconButton>
          <IconButton
            label={t('common.DeleteNamed', { name })}
            loading={remove.isPending}
            onClick={() => void confirmAndRemove()}
          >
            <IconTrash size={17} aria-hidden />
          </IconButton>
        </Group>
      </Group>
      {redirectUrl === undefined ? (
        <Text variant="note">{t('oidc.NoMasterUrl')}</Text>
      ) : (
        <CopyField label={t('oidc.RedirectUrl')} copyLabel={t('oidc.CopyRedirectUrl', { name })} value={redirectUrl} />
      )}
    </Stack>
  )
}

const empty = {
  name: '',
  issuer: '',
  clientId: '',
  scopes: 'openid email profile',
  createsAccounts: false,
  isTwoFactor: false,
}

/** Adds or edits a provider. The stored secret is not shown, and stays when the field is empty. */
function ProviderDialog({ provider, onClose }: { provider: OidcProvider | undefined; onClose: () => void }) {
  const t = useT()
  const create = useApiMutation(createOidcProvider, stale)
  const replace = useApiMutation(putOidcProvider, stale)
  const { id, version } = provider ?? {}
  const { name, issuer, clientId, scopes, ...flags } = provider ?? empty
  const initial = {
    name,
    issuer,
    clientId,
    scopes,
    createsAccounts: flags.createsAccounts,
    isTwoFactor: flags.isTwoFactor,
  }
  const labels = {
    name: t('common.Name'),
    issuer: t('oidc.Issuer'),
    clientId: t('oidc.ClientId'),
    clientSecret: t('oidc.ClientSecret'),
  }
  const form = useSubmitForm({
    id: `oidc-provider-${id ?? 'new'}`,
    initialValues: { ...initial, clientSecret: '' },
    secrets: ['clientSecret'],
    normalize: (values) => ({ ...values, name: values.name.trim(), issuer: values.issuer.trim() }),
    validate: (values) => {
      const required = ['name', 'issuer', 'clientId', ...(id === undefined ? (['clientSecret'] as const) : [])] as const
      const missing = required.filter((field) => values[field].trim() === '')
      return Object.fromEntries(missing.map((field) => [field, t('errors.ErrFieldRequired', { field: labels[field] })]))
    },
    send: async ({ clientSecret, ...values }) => {
      if (id === undefined) await create.mutateAsync({ body: { ...values, clientSecret } })
      else {
        const body = { ...values, ...(clientSecret !== '' && { clientSecret }) }
        await replace.mutateAsync({ params: { id }, body }, { version })
      }
    },
    onSaved: () => {
      toast.success(t('common.Saved'))
      onClose()
    },
  })
  const { createsAccounts, isTwoFactor } = form.values
  return (
    <SubmitDialog
      form={form}
      size="lg"
      title={provider ? t('common.EditNamed', { name: provider.name }) : t('oidc.Add')}
      action={t('common.Save')}
      onClose={onClose}
    >
      <TextInput {...form.field('name')} data-autofocus label={labels.name} maxLength={100} autoComplete="off" />
      <TextInput
        {...form.field('issuer')}
        label={labels.issuer}
        description={t('oidc.IssuerHelp')}
        maxLength={500}
        autoComplete="off"
      />
      <TextInput {...form.field('clientId')} label={labels.clientId} maxLength={255} autoComplete="off" />
      <PasswordInput
        {...form.field('clientSecret')}
        label={labels.clientSecret}
        description={id === undefined ? undefined : t('oidc.SecretKept')}
        maxLength={1000}
        autoComplete="off"
      />
      <TextInput {...form.field('scopes')} label={t('oidc.Scopes')} maxLength={500} autoComplete="off" />
      <Switch
        checked={createsAccounts}
        onChange={(event) => form.set({ createsAccounts: event.currentTarget.checked })}
        label={t('oidc.CreatesAccounts')}
        description={t('oidc.CreatesAccountsHelp')}
      />
      <Switch
        checked={isTwoFactor}
        onChange={(event) => form.set({ isTwoFactor: event.currentTarget.checked })}
        label={t('oidc.IsTwoFactor')}
        description={t('oidc.IsTwoFactorHelp')}
      />
    </SubmitDialog>
  )
}
