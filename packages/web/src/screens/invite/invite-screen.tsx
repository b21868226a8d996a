import { reauth } from '@innkeeper/contract/accounts/auth'
import { acceptInvite, acceptInviteAsSelf, checkInvite } from '@innkeeper/contract/accounts/invites'
import { hasScope } from '@innkeeper/contract/api/permissions'
import { listServers } from '@innkeeper/contract/servers/servers'
import { getSelf } from '@innkeeper/contract/settings/panel'
import { Button, Stack, Text, TextInput } from '@mantine/core'
import { IconMail, IconMailX } from '@tabler/icons-react'
import { type ReactNode, use, useState } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import { isRefusal, request } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { AccountForm, PasswordFields, UsernameField } from '../../features/new-account/account-fields.tsx'
import { useAccountForm } from '../../features/new-account/use-account-form.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { AuthLayout, AuthMessage } from '../../ui/layout/auth-layout.tsx'
import { BrandContext } from '../../ui/layout/page.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'

/** Accepts an invitation: with a new account for the invited address, or with the existing one. */
export function InviteScreen() {
  const t = useT()
  const [search] = useSearchParams()
  const { isSignedIn, self, scopes, start, signOut } = useSession()
  const [isAccepted, setIsAccepted] = useState(false)
  const [isExpired, setIsExpired] = useState(false)
  const [createsAccount, setCreatesAccount] = useState(false)
  const link = { token: search.get('token') ?? '', email: search.get('email') ?? '' }
  const isComplete = link.token !== '' && link.email !== ''
  const invite = useApiQuery(
    checkInvite,
    { body: link },
    { enabled: isComplete && !isAccepted, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  )
  const { mutateAsync } = useApiMutation(acceptInvite)
  const handleExpired = (error: unknown) => {
    const isInvalid = isRefusal(error, 'ErrInviteLinkInvalid')
    if (isInvalid) setIsExpired(true)
    return isInvalid
  }
  const account = useAccountForm({
    fields: ['username', 'password', 'repeated'],
    send: ({ username, password }) => mutateAsync({ body: { ...link, username, password } }),
    onSaved: (session) => {
      setIsAccepted(true)
      start(session)
    },
    handleError: handleExpired,
  })
  const accept = useApiMutation(acceptInviteAsSelf, {
    invalidates: [getSelf, listServers],
    onSuccess: async () => {
      setIsAccepted(true)
      // The session needs the scopes that the invitation granted.
      start(await request(reauth))
    },
    handleError: handleExpired,
  })

  if (isAccepted && isSignedIn) {
    const canOpenServers = hasScope(scopes, 'servers.view') || invite.data?.server !== undefined
    return <Navigate to={canOpenServers ? '/server' : '/account'} replace />
  }
  if (!isComplete || isExpired || isRefusal(invite.error, 'ErrInviteLinkInvalid', 'ErrNotFound', 'ErrFieldInvalid')) {
    return (
      <AuthMessage
        isError
        icon={<IconMailX size={26} aria-hidden />}
        title={t('errors.ErrInviteLinkInvalid')}
        subtitle={t('invite.InvalidHow')}
      >
        <Button component={Link} to="/auth/login" h={40}>
          {t('sign-in.SignIn')}
        </Button>
      </AuthMessage>
    )
  }
  if (invite.data?.hasAccount && !createsAccount) {
    const isOwnAccount = self?.email.toLowerCase() === invite.data.email.toLowerCase()
    const returnPath = `/auth/invite?${new URLSearchParams(link)}`
    return (
      <InviteLayout subtitle={t('invite.HasAccount', { email: invite.data.email })}>
        <Stack gap="lg">
          <InviteDetails {...invite.data} />
          {isOwnAccount && self ? (
            <Button
              h={40}
              loading={accept.isPending}
              onClick={() => void accept.mutate({ body: { token: link.token } })}
            >
              {t('invite.AcceptAs', { username: self.username })}
            </Button>
          ) : isSignedIn && self ? (
            <>
              <Alert type="warning">{t('invite.WrongAccount', { username: self.username })}</Alert>
              <Button h={40} onClick={signOut}>
                {t('shell.SignOut')}
              </Button>
            </>
          ) : (
            <Button component={Link} to={`/auth/login?return=${encodeURIComponent(returnPath)}`} h={40}>
              {t('invite.SignInToAccept')}
            </Button>
          )}
          {!isOwnAccount && (
            <>
              <Text>{t('invite.NotMine')}</Text>
              <Button variant="default" h={40} onClick={() => setCreatesAccount(true)}>
                {t('invite.CreateNew')}
              </Button>
            </>
          )}
        </Stack>
      </InviteLayout>
    )
  }
  return (
    <InviteLayout>
      <QueryState query={invite} errorTitle={t('invite.LoadFailed')}>
        {(data) => (
          <AccountForm account={account} action={t('invite.Create')}>
            <InviteDetails {...data} />
            {isSignedIn && self && (
              <Alert type="warning">{t('invite.OtherAccount', { username: self.username })}</Alert>
            )}
            <TextInput
              label={t('common.Email')}
              description={t('invite.EmailFixed')}
              type="email"
              name="email"
              autoComplete="off"
              readOnly
              variant="filled"
              leftSection={<IconMail size={17} aria-hidden />}
              value={data.email}
            />
            <UsernameField account={account} autoFocus />
            <PasswordFields account={account} />
          </AccountForm>
        )}
      </QueryState>
    </InviteLayout>
  )
}

function InviteLayout({ subtitle, children }: { subtitle?: string; children: ReactNode }) {
  const t = useT()
  const brand = use(BrandContext)
  return (
    <AuthLayout title={t('invite.Title')} subtitle={subtitle ?? t('invite.Subtitle', { brand })}>
      {children}
    </AuthLayout>
  )
}

/** Names the inviting user and the server, as far as they are known. */
function InviteDetails({ invitedBy, server }: { invitedBy?: string | undefined; server?: string | undefined }) {
  const t = useT()
  if (invitedBy !== undefined && server !== undefined)
    return <Alert type="info">{t('invite.ByTo', { name: invitedBy, server })}</Alert>
  if (invitedBy !== undefined) return <Alert type="info">{t('invite.By', { name: invitedBy })}</Alert>
  if (server !== undefined) return <Alert type="info">{t('invite.To', { server })}</Alert>
  return null
}
