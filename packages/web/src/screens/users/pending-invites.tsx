import { deleteInvite, type Invite, listInvites } from '@innkeeper/contract/invites'
import { limits } from '@innkeeper/contract/limits'
import { Button } from '@mantine/core'
import { useState } from 'react'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { Pager } from '../../ui/pager.tsx'
import records from '../../ui/records.module.css'
import { Card } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import classes from './users-screen.module.css'

/** Who was invited and has not come yet; nothing where there is nobody. */
export function PendingInvites() {
  const text = useText()
  const [page, setPage] = useState(1)
  const list = useCall(listInvites, { query: { page, limit: limits.pageSize } })
  const hasNone = list.data?.paging.total === 0
  if (list.isPending || hasNone) return null

  return (
    <Card>
      <div className={classes.head}>
        <h2>{text('users.PendingInvites')}</h2>
      </div>
      {list.isError && !list.data ? (
        <LoadFailure title={text('users.InvitesFailed')} error={list.error} again={() => void list.refetch()} />
      ) : (
        <>
          <ul className={records.list} aria-label={text('users.PendingInvites')}>
            {list.data.invites.map((invite) => (
              <InviteRow key={invite.id} invite={invite} />
            ))}
          </ul>
          <Pager paging={list.data.paging} onPage={setPage} />
        </>
      )}
    </Card>
  )
}

function InviteRow({ invite: { id, email, invitedBy, servers, expiresAt } }: { invite: Invite }) {
  const text = useText()
  const { dateTime } = useFormats()
  const remove = useSend(deleteInvite, { refreshes: [listInvites] })

  const run = async () => {
    try {
      await remove.send({ params: { id } })
      toast.success(text('users.InviteEnded', { email }))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <li className={records.record}>
      <span className={records.main}>
        <b dir="ltr">{email}</b>
        <span className={records.quiet}>
          {text('users.InviteUntil', { time: dateTime(Date.parse(expiresAt)) })}
          {invitedBy && ` · ${text('users.InvitedBy', { name: invitedBy })}`}
        </span>
      </span>
      <span className={records.facts}>{servers.map(({ name }) => name).join(', ')}</span>
      <Button
        size="xs"
        variant="default"
        loading={remove.pending}
        aria-label={text('users.EndInviteOf', { email })}
        onClick={() => void run()}
      >
        {text('users.EndInvite')}
      </Button>
    </li>
  )
}
