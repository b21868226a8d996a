import type { OAuth2Client } from '@innkeeper/contract/accounts/oauth2'
import { listServers } from '@innkeeper/contract/servers/servers'
import { limits } from '@innkeeper/contract/text/limits'
import { MultiSelect, Switch, TagsInput, Textarea, TextInput } from '@mantine/core'
import { useApiQuery } from '../../api/use-api.ts'
import { SubmitDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { ScopeSelect, ServerPermissionSelect } from '../../ui/fields/permission-select.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { type ClientDraft, toDraft } from './client-form.ts'

interface ClientDialogProps<R> {
  readonly draftId: string
  /** The server of the client; `undefined` for one of the account. */
  readonly server: string | undefined
  /** The client to change; `undefined` for a new one. */
  readonly client?: OAuth2Client | undefined
  readonly send: (draft: ClientDraft) => Promise<R>
  readonly onSaved: (result: R) => void
  readonly onClose: () => void
}

/** Creates or changes a client: what it may do, where, from where and until when. */
export function ClientDialog<R>({ draftId, server, client, send, onSaved, onClose }: ClientDialogProps<R>) {
  const t = useT()
  const form = useSubmitForm<ClientDraft, R>({
    id: draftId,
    initialValues: toDraft(client ?? {}),
    validate: ({ until }) => ({
      until:
        until !== '' && until !== toDraft(client ?? {}).until && Date.parse(until) <= Date.now()
          ? t('oauth.EndPast')
          : undefined,
    }),
    getLabel: (field) => (field === 'networks' ? t('oauth.Networks') : field === 'until' ? t('oauth.EndsAt') : field),
    toField: (name) => (name.startsWith('limits.') ? (name.split('.')[1] ?? name) : name),
    send,
    onSaved,
  })
  const { values } = form
  return (
    <SubmitDialog
      form={form}
      size="lg"
      title={client ? t('common.EditNamed', { name: client.name || t('oauth.Unnamed') }) : t('oauth.CreateTitle')}
      action={t(client ? 'common.Save' : 'oauth.Create')}
      onClose={onClose}
    >
      <TextInput {...form.field('name')} data-autofocus label={t('common.Name')} maxLength={100} autoComplete="off" />
      <Textarea
        {...form.field('description')}
        label={t('common.Description')}
        placeholder={t('oauth.DescriptionHint')}
        maxLength={500}
        rows={2}
      />
      <Switch {...form.switchField('isListed')} label={t('oauth.OnlyListed')} description={t('oauth.OnlyListedHelp')} />
      {values.isListed && (
        <>
          <ServerPermissionSelect
            label={t('oauth.Permissions')}
            value={values.permissions}
            onChange={(permissions) => form.set({ permissions })}
          />
          {server === undefined && (
            <ScopeSelect label={t('oauth.Scopes')} value={values.scopes} onChange={(scopes) => form.set({ scopes })} />
          )}
        </>
      )}
      {server === undefined && (
        <Switch
          {...form.switchField('isOfSomeServers')}
          label={t('oauth.SomeServers')}
          description={t('oauth.SomeServersHelp')}
        />
      )}
      {values.isOfSomeServers && (
        <ServersAndTags servers={values.servers} tags={values.tags} onChange={(changes) => form.set(changes)} />
      )}
      <TagsInput
        {...form.field('networks')}
        label={t('oauth.Networks')}
        description={t('oauth.NetworksHelp')}
        placeholder="192.0.2.0/24"
        value={[...values.networks]}
        onChange={(networks) => form.set({ networks })}
        splitChars={[',', ' ']}
        acceptValueOnBlur
        autoComplete="off"
        spellCheck={false}
      />
      <TextInput
        {...form.field('until')}
        type="datetime-local"
        label={t('oauth.EndsAt')}
        description={t('oauth.EndHelp')}
      />
      {client && (
        <Switch {...form.switchField('isPaused')} label={t('oauth.Pause')} description={t('oauth.PauseHelp')} />
      )}
    </SubmitDialog>
  )
}

interface ServersAndTagsProps extends Pick<ClientDraft, 'servers' | 'tags'> {
  readonly onChange: (changes: Partial<Pick<ClientDraft, 'servers' | 'tags'>>) => void
}

function ServersAndTags({ servers, tags, onChange }: ServersAndTagsProps) {
  const t = useT()
  const query = useApiQuery(listServers, { query: { limit: limits.pageSizeMax, counts: 'true' } })
  return (
    <QueryState query={query} errorTitle={t('common.ServersNotLoaded')}>
      {(list) => {
        const names = new Map(list.servers.map(({ id, name }) => [id, name]))
        return (
          <>
            <MultiSelect
              label={t('oauth.Servers')}
              data={[...new Set([...names.keys(), ...servers])].map((id) => ({
                value: id,
                label: names.get(id) ?? id,
              }))}
              value={[...servers]}
              onChange={(next) => onChange({ servers: next })}
              searchable
              maxValues={200}
            />
            <TagsInput
              label={t('oauth.ServerTags')}
              data={list.tags?.map(({ name }) => name) ?? []}
              value={[...tags]}
              onChange={(next) => onChange({ tags: next })}
              acceptValueOnBlur
              maxTags={50}
            />
          </>
        )
      }}
    </QueryState>
  )
}
