import { createInvite, deleteInvite, type Invite, listInvites } from '@innkeeper/contract/accounts/invites'
import { createUser, listUsers, type UserView } from '@innkeeper/contract/accounts/users'
import { getConfig } from '@innkeeper/contract/settings/panel'
import { limits } from '@innkeeper/contract/text/limits'
import { Box, Button, Group, Paper, SegmentedControl, SimpleGrid, Stack, Text, TextInput } from '@mantine/core'
import { Activity, type ReactNode, useRef, useState } from 'react'
import { useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { fieldByCode, validateAccountField } from '../../features/new-account/validate-account.ts'
import { CreateBar } from '../../forms/save-bar.tsx'
import { SaveForm } from '../../forms/save-form.tsx'
import { UnsavedChangesScope } from '../../forms/unsaved-changes.tsx'
import { useSaveForm } from '../../forms/use-save-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { NoPermission } from '../../ui/feedback/no-permission.tsx'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { useFocusHeading } from '../../ui/layout/page.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/** Adds a user: with a password, or by an invitation where the panel can send email. */
export function AddUserScreen() {
  const canEdit = useCan('users.edit')
  return canEdit ? <AddUser /> : <NoPermission scope="users.edit" />
}

function AddUser() {
  const t = useT()
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const canSendMail = config.data?.passwordResetEnabled === true
  const [method, setMethod] = useState<'password' | 'invite'>('password')
  const isInviting = method === 'invite' && canSendMail
  const heading = useRef<HTMLHeadingElement>(null)
  useFocusHeading(heading)

  return (
    <>
      <Paper>
        <CardHeader title={t('users.Add')} headingRef={heading}>
          {canSendMail && (
            <SegmentedControl
              size="sm"
              aria-label={t('users.Method')}
              value={method}
              onChange={(value) => setMethod(value === 'invite' ? 'invite' : 'password')}
              data={[
                { value: 'password', label: t('users.WithPassword') },
                { value: 'invite', label: t('users.ByInvite') },
              ]}
            />
          )}
        </CardHeader>
        <MethodPanel isShown={isInviting}>
          <InviteForm />
        </MethodPanel>
        <MethodPanel isShown={!isInviting}>
          <PasswordForm />
        </MethodPanel>
      </Paper>
      <PendingInvites />
    </>
  )
}

/** The form of one method. It is mounted when first shown and keeps its values while hidden. */
function MethodPanel({ isShown, children }: { isShown: boolean; children: ReactNode }) {
  const [wasShown, setWasShown] = useState(isShown)
  if (isShown && !wasShown) setWasShown(true)
  if (!wasShown) return null
  return (
    <UnsavedChangesScope isShown={isShown}>
      <Activity mode={isShown ? 'visible' : 'hidden'}>{children}</Activity>
    </UnsavedChangesScope>
  )
}

interface PasswordDraft {
  readonly username: string
  readonly email: string
  readonly password: string
}
const labels = { username: 'common.Username', email: 'common.Email', password: 'common.Password' } as const

function PasswordForm() {
  const t = useT()
  const navigate = useNavigate()
  const create = useApiMutation(createUser, { invalidates: [listUsers] })
  const form = useSaveForm<PasswordDraft, string, UserView>({
    id: 'add-user',
    allowUnchanged: true,
    saved: { values: { username: '', email: '', password: '' } },
    secrets: ['password'],
    normalize: (values) => ({ ...values, email: values.email.trim() }),
    getLabel: (field) => t(labels[field]),
    fieldByCode,
    validate: (values) => ({
      username: validateAccountField(t, 'username', values),
      email: validateAccountField(t, 'email', values),
      password: validateAccountField(t, 'password', values),
    }),
    send: ({ values }) => create.mutateAsync({ body: { ...values } }),
    onSaved: (user) => {
      toast.success(t('common.Created', { name: user.username }), { detail: t('users.GrantPermissions') })
      return navigate(`/user/${user.id}`)
    },
    failure: t('users.UpdateFailed'),
  })
  return (
    <SaveForm form={form} isInCard aria-label={t('users.Add')}>
      <SimpleGrid minColWidth="min(13rem, 100%)" autoFlow="auto-fit" p="md">
        <TextInput
          {...form.field('username')}
          label={t('common.Username')}
          autoComplete="off"
          autoCapitalize="none"
          spellCheck={false}
        />
        <TextInput {...form.field('email')} type="email" label={t('common.Email')} autoComplete="off" />
        <PasswordField
          {...form.field('password')}
          label={t('common.Password')}
          description={form.errors.password ? undefined : t('users.PasswordHint')}
          autoComplete="new-password"
        />
      </SimpleGrid>
      <CreateBar action={t('users.Add')} isSaving={form.isSaving} cancelTo="/user" />
    </SaveForm>
  )
}

interface InviteDraft {
  readonly email: string
}

function InviteForm() {
  const t = useT()
  const invite = useApiMutation(createInvite, { invalidates: [listInvites] })
  const [sentTo, setSentTo] = useState<string>()
  const form = useSaveForm<InviteDraft, string, string>({
    id: 'invite-user',
    allowUnchanged: true,
    saved: { values: { email: '' } },
    normalize: ({ email }) => ({ email: email.trim() }),
    getLabel: () => t('common.Email'),
    fieldByCode,
    validate: (values) => ({ email: validateAccountField(t, 'email', values) }),
    send: async ({ values: { email } }) => {
      await invite.mutateAsync({ body: { email } })
      return email
    },
    onSaved: (email) => {
      setSentTo(email)
      toast.success(t('users.Invited', { email }))
    },
  })
  return (
    <SaveForm form={form} isInCard aria-label={t('users.ByInvite')}>
      {sentTo !== undefined && sentTo === form.values.email && (
        <Box px="md" pt="md">
          <Alert type="success" role="status">
            {t('users.Invited', { email: sentTo })}
          </Alert>
        </Box>
      )}
      <TextInput
        {...form.field('email')}
        p="md"
        type="email"
        label={t('common.Email')}
        description={form.errors.email ? undefined : t('users.InviteHint')}
        autoComplete="off"
      />
      <CreateBar action={t('users.SendInvite')} isSaving={form.isSaving} cancelTo="/user" />
    </SaveForm>
  )
}

/** Invitations that were not accepted yet; renders nothing when there are none. */
function PendingInvites() {
  const t = useT()
  const [page, setPage] = useState(1)
  const list = useApiQuery(listInvites, { query: { page, limit: limits.pageSize } })
  return (
    <QueryState
      inCard
      query={list}
      errorTitle={t('users.InvitesFailed')}
      skeleton={null}
      isEmpty={({ paging }) => paging.total === 0}
    >
      {({ invites, paging }) => (
        <Paper>
          <CardHeader title={t('users.PendingInvites')} />
          <RowList label={t('users.PendingInvites')}>
            {invites.map((invite) => (
              <InviteRow key={invite.id} invite={invite} />
            ))}
          </RowList>
          <Pager paging={paging} onPage={setPage} />
        </Paper>
      )}
    </QueryState>
  )
}

function InviteRow({ invite: { id, email, invitedBy, servers, expiresAt } }: { invite: Invite }) {
  const t = useT()
  const { dateTime, list } = useFormatters()
  const remove = useApiMutation(deleteInvite, {
    invalidates: [listInvites],
    onSuccess: () => toast.success(t('users.InviteWithdrawn', { email })),
  })
  const expires = dateTime(Date.parse(expiresAt))

  return (
    <Group component="li" gap="xs" px="md" py="xs" mih="3.25rem">
      <Stack gap={0} flex="1 1 14rem" miw={0} style={{ overflowWrap: 'anywhere' }}>
        <Text fw={500} dir="ltr" ta="start">
          {email}
        </Text>
        <Text variant="note">
          {invitedBy === undefined
            ? t('users.InviteExpires', { time: expires })
            : t('users.InviteExpiresBy', { time: expires, name: invitedBy })}
        </Text>
      </Stack>
      <Text variant="note">{list(servers.map(({ name }) => name))}</Text>
      <Button
        size="xs"
        variant="default"
        loading={remove.isPending}
        aria-label={t('users.WithdrawInviteOf', { email })}
        onClick={() => void remove.mutate({ params: { id } })}
      >
        {t('users.WithdrawInvite')}
      </Button>
    </Group>
  )
}
