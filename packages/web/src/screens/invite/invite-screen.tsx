import { reauth } from '@innkeeper/contract/auth'
import { acceptInvite, acceptInviteAsSelf, checkInvite } from '@innkeeper/contract/invites'
import { getSelf } from '@innkeeper/contract/panel'
import { grants } from '@innkeeper/contract/permissions'
import { listServers } from '@innkeeper/contract/servers'
import { Button, TextInput } from '@mantine/core'
import { IconMail, IconMailX } from '@tabler/icons-react'
import { type ReactNode, use, useState } from 'react'
import { Link, Navigate, useSearchParams } from 'react-router'
import { isRefusal, request } from '../../api/request.ts'
import { ShowErrorContext, useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { SchemeToggle } from '../../features/appearance/scheme.tsx'
import { LanguageButton } from '../../features/language/language-button.tsx'
import { PasswordFields, UsernameField } from '../../features/new-account/account-fields.tsx'
import { useNewAccount } from '../../features/new-account/use-new-account.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/alert.tsx'
import classes from '../../ui/auth-layout.module.css'
import { AuthLayout, AuthMessage } from '../../ui/auth-layout.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { ErrorAlert } from '../../ui/error-alert.tsx'
import { BrandContext } from '../../ui/page.tsx'

/** An account by invitation: the address is the one that the invitation went to. */
export function InviteScreen() {
  const t = useT()
  const [search] = useSearchParams()
  const tell = use(ShowErrorContext)
  const { loggedIn, self, scopes, start, logOut } = useSession()
  const [hasJoined, setHasJoined] = useState(false)
  const [hasEnded, setHasEnded] = useState(false)
  const [isNewWanted, setIsNewWanted] = useState(false)
  const link = { token: search.get('token') ?? '', email: search.get('email') ?? '' }
  const isWhole = link.token !== '' && link.email !== ''
  const invite = useApiQuery(
    checkInvite,
    { body: link },
    { enabled: isWhole && !hasJoined, staleTime: Number.POSITIVE_INFINITY, refetchOnWindowFocus: false },
  )
  const { mutateAsync } = useApiMutation(acceptInvite, { silent: true })
  const accept = useApiMutation(acceptInviteAsSelf, { silent: true, invalidates: [getSelf, listServers] })
  const account = useNewAccount({
    asks: ['username', 'password', 'repeated'],
    send: async ({ username, password }) => {
      const session = await mutateAsync({ body: { ...link, username, password } })
      setHasJoined(true)
      start(session)
    },
    take: (refusal) => {
      const isOver = isRefusal(refusal, 'ErrInviteLinkInvalid')
      if (isOver) setHasEnded(true)
      return isOver
    },
  })

  const isOwn = invite.data !== undefined && self?.email.toLowerCase() === invite.data.email.toLowerCase()
  const acceptAsSelf = async () => {
    try {
      await accept.mutateAsync({ body: { token: link.token } })
      setHasJoined(true)
      // The servers of the invite count for what this person may open from now on.
      start(await request(reauth))
    } catch (error) {
      if (isRefusal(error, 'ErrInviteLinkInvalid')) setHasEnded(true)
      else tell(error)
    }
  }

  if (hasJoined && loggedIn) {
    const seesServers = grants(scopes, 'servers.view') || invite.data?.server !== undefined
    return <Navigate to={seesServers ? '/server' : '/account'} replace />
  }
  if (!isWhole || hasEnded || isRefusal(invite.error, 'ErrInviteLinkInvalid', 'ErrNotFound', 'ErrFieldInvalid')) {
    return (
      <AuthMessage
        isError
        icon={<IconMailX size={26} aria-hidden />}
        title={t('errors.ErrInviteLinkInvalid')}
        subtitle={t('invite.InvalidHow')}
        corner={<Corner />}
      >
        <Button component={Link} to="/auth/login" h={40}>
          {t('login.LogIn')}
        </Button>
      </AuthMessage>
    )
  }
  if (invite.error) {
    return (
      <Door>
        <QueryError title={t('invite.LoadFailed')} error={invite.error} retry={() => void invite.refetch()} />
      </Door>
    )
  }
  if (invite.data?.hasAccount && !isNewWanted) {
    const back = `/auth/invite?${new URLSearchParams(link)}`
    return (
      <Door subtitle={t('invite.HasAccount', { email: invite.data.email })}>
        <div className={classes.form}>
          <Inviter {...invite.data} />
          {isOwn && self ? (
            <Button h={40} loading={accept.isPending} onClick={() => void acceptAsSelf()}>
              {t('invite.AcceptAs', { username: self.username })}
            </Button>
          ) : loggedIn && self ? (
            <>
              <Alert type="warning">{t('invite.WrongAccount', { username: self.username })}</Alert>
              <Button h={40} onClick={logOut}>
                {t('shell.LogOut')}
              </Button>
            </>
          ) : (
            <Button component={Link} to={`/auth/login?return=${encodeURIComponent(back)}`} h={40}>
              {t('invite.LogInToAccept')}
            </Button>
          )}
          {!isOwn && (
            <>
              <p>{t('invite.NotMine')}</p>
              <Button variant="default" h={40} onClick={() => setIsNewWanted(true)}>
                {t('invite.CreateNew')}
              </Button>
            </>
          )}
        </div>
      </Door>
    )
  }
  return (
    <Door>
      {invite.data && (
        <form ref={account.form} className={classes.form} onSubmit={account.submit} noValidate>
          {account.refusal !== undefined && <ErrorAlert error={account.refusal} />}
          <Inviter {...invite.data} />
          {loggedIn && self && <Alert type="warning">{t('invite.OtherAccount', { username: self.username })}</Alert>}
          <TextInput
            label={t('login.Email')}
            description={t('invite.EmailFixed')}
            type="email"
            name="email"
            autoComplete="off"
            readOnly
            variant="filled"
            leftSection={<IconMail size={17} aria-hidden />}
            value={invite.data.email}
          />
          <UsernameField account={account} autoFocus />
          <PasswordFields account={account} />
          <Button type="submit" h={40} loading={account.isPending}>
            {t('invite.Create')}
          </Button>
        </form>
      )}
    </Door>
  )
}

function Door({ subtitle, children }: { subtitle?: string; children: ReactNode }) {
  const t = useT()
  const brand = use(BrandContext)
  return (
    <AuthLayout title={t('invite.Title')} subtitle={subtitle ?? t('invite.Subtitle', { brand })} corner={<Corner />}>
      {children}
    </AuthLayout>
  )
}

/** Who invites and to what, as far as the panel says. */
function Inviter({ invitedBy, server }: { invitedBy?: string | undefined; server?: string | undefined }) {
  const t = useT()
  if (invitedBy !== undefined && server !== undefined)
    return <Alert type="info">{t('invite.ByTo', { name: invitedBy, server })}</Alert>
  if (invitedBy !== undefined) return <Alert type="info">{t('invite.By', { name: invitedBy })}</Alert>
  if (server !== undefined) return <Alert type="info">{t('invite.To', { server })}</Alert>
  return null
}

function Corner() {
  return (
    <>
      <SchemeToggle />
      <LanguageButton />
    </>
  )
}
