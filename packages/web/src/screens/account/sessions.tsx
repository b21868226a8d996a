import { endOtherSessions, endSession, listSessions, type SessionView } from '@innkeeper/contract/account'
import { Button, Skeleton } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useText } from '../../i18n/text.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { Moment } from '../../ui/moment.tsx'
import { Badge, Mono } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import classes from './account-screen.module.css'
import { readAgent } from './agent.ts'
import { Part } from './part.tsx'

/** Where the account is logged in, and how to end it. */
export function Sessions() {
  const text = useText()
  const list = useCall(listSessions)
  const isLate = useIsLate(list.isPending)
  const endOthers = useSend(endOtherSessions, { refreshes: [listSessions] })
  const others = (list.data ?? []).filter(({ isCurrent }) => !isCurrent).length

  const endAll = async () => {
    try {
      await endOthers.send()
      toast.success(text('account.OthersEnded'))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <Part
      id="sessions"
      title={text('account.Sessions')}
      isBare
      aside={
        others > 0 && (
          <Button size="xs" variant="default" loading={endOthers.pending} onClick={() => void endAll()}>
            {text('account.EndOthers')}
          </Button>
        )
      }
    >
      {list.isError && !list.data ? (
        <LoadFailure title={text('account.SessionsFailed')} error={list.error} again={() => void list.refetch()} />
      ) : list.isPending ? (
        isLate && <Skeleton h={56} m="md" w="auto" aria-label={text('common.Loading')} />
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
  const text = useText()
  const end = useSend(endSession, { refreshes: [listSessions] })
  const known = readAgent(session.agent)
  const name = known ? text('account.BrowserOn', known) : session.agent || text('account.UnknownBrowser')
  const Icon = known?.system === 'Android' || known?.system === 'iOS' ? IconDeviceMobile : IconDeviceDesktop

  const run = async () => {
    try {
      await end.send({ params: { id: session.id } })
      toast.success(text('account.Ended', { name }))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <li className={classes.session}>
      <Icon size={20} stroke={1.6} aria-hidden />
      <div className={classes.what}>
        <b>{name}</b>
        <p>
          <Mono>{session.address}</Mono> · {text('account.LastUsed')} <Moment at={session.usedAt} /> ·{' '}
          {text('account.LoggedIn')} <Moment at={session.createdAt} />
        </p>
      </div>
      {session.isCurrent ? (
        <Badge>{text('account.ThisOne')}</Badge>
      ) : (
        <Button
          size="xs"
          variant="default"
          loading={end.pending}
          aria-label={text('account.EndOf', { name })}
          onClick={() => void run()}
        >
          {text('account.End')}
        </Button>
      )}
    </li>
  )
}
