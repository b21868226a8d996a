import { endOtherSessions, endSession, listSessions, type SessionView } from '@innkeeper/contract/account'
import { Badge, Button, Skeleton } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { CodeText } from '../../ui/code-text.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './account-screen.module.css'
import { readAgent } from './agent.ts'
import { Part } from './part.tsx'

/** Where the account is logged in, and how to end it. */
export function Sessions() {
  const t = useT()
  const list = useApiQuery(listSessions)
  const isLate = useDelayed(list.isPending)
  const endOthers = useApiMutation(endOtherSessions, { invalidates: [listSessions] })
  const others = (list.data ?? []).filter(({ isCurrent }) => !isCurrent).length

  const endAll = async () => {
    try {
      await endOthers.mutateAsync()
      toast.success(t('account.OthersEnded'))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <Part
      id="sessions"
      title={t('account.Sessions')}
      isBare
      aside={
        others > 0 && (
          <Button size="xs" variant="default" loading={endOthers.isPending} onClick={() => void endAll()}>
            {t('account.EndOthers')}
          </Button>
        )
      }
    >
      {list.isError && !list.data ? (
        <QueryError title={t('account.SessionsFailed')} error={list.error} retry={() => void list.refetch()} />
      ) : list.isPending ? (
        isLate && <Skeleton h={56} m="md" w="auto" aria-label={t('common.Loading')} />
      ) : (
        <ul className={classes.sessions}>
          {list.data.map((session) => (
            <SessionRow key={session.id} session={session} />
          ))}
        </ul>
      )}
    </Part>
  )
}

function SessionRow({ session }: { session: SessionView }) {
  const t = useT()
  const end = useApiMutation(endSession, { invalidates: [listSessions] })
  const known = readAgent(session.agent)
  const name = known ? t('account.BrowserOn', known) : session.agent || t('account.UnknownBrowser')
  const Icon = known?.system === 'Android' || known?.system === 'iOS' ? IconDeviceMobile : IconDeviceDesktop

  const run = async () => {
    try {
      await end.mutateAsync({ params: { id: session.id } })
      toast.success(t('account.Ended', { name }))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <li className={classes.session}>
      <Icon size={20} aria-hidden />
      <div className={classes.what}>
        <b>{name}</b>
        <p>
          <CodeText>{session.address}</CodeText> · {t('account.LastUsed')} <RelativeTime at={session.usedAt} /> ·{' '}
          {t('account.LoggedIn')} <RelativeTime at={session.createdAt} />
        </p>
      </div>
      {session.isCurrent ? (
        <Badge>{t('account.ThisOne')}</Badge>
      ) : (
        <Button
          size="xs"
          variant="default"
          loading={end.isPending}
          aria-label={t('account.EndOf', { name })}
          onClick={() => void run()}
        >
          {t('account.End')}
        </Button>
      )}
    </li>
  )
}
