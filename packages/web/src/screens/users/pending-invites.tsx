import { deleteInvite, type Invite, listInvites } from '@innkeeper/contract/invites'
import { limits } from '@innkeeper/contract/limits'
import { Button, Paper } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { Pager } from '../../ui/pager.tsx'
import records from '../../ui/records.module.css'
import { toast } from '../../ui/toast.tsx'
import classes from './users-screen.module.css'

/** Who was invited and has not come yet; nothing where there is nobody. */
export function PendingInvites() {
  const t = useT()
  const [page, setPage] = useState(1)
  const list = useApiQuery(listInvites, { query: { page, limit: limits.pageSize } })
  const hasNone = list.data?.paging.total === 0
  if (list.isPending || hasNone) return null

  return (
    <Paper>
      <div className={classes.head}>
        <h2>{t('users.PendingInvites')}</h2>
      </div>
      {list.isError && !list.data ? (
        <QueryError title={t('users.InvitesFailed')} error={list.error} retry={() => void list.refetch()} />
      ) : (
        <>
          <ul className={records.list} aria-label={t('users.PendingInvites')}>
            {list.data.invites.map((invite) => (
              <InviteRow key={invite.id} invite={invite} />
            ))}
          </ul>
          <Pager paging={list.data.paging} onPage={setPage} />
        </>
      )}
    </Paper>
  )
}

function InviteRow({ invite: { id, email, invitedBy, servers, expiresAt } }: { invite: Invite }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const remove = useApiMutation(deleteInvite, { invalidates: [listInvites] })

  const run = async () => {
    try {
      await remove.mutateAsync({ params: { id } })
      toast.success(t('users.InviteEnded', { email }))
    } catch {
      // `useSend` has told why.
    }
  }
  return (
    <li className={records.record}>
      <span className={records.main}>
        <b dir="ltr">{email}</b>
        <span className={records.quiet}>
          {t('users.InviteUntil', { time: dateTime(Date.parse(expiresAt)) })}
          {invitedBy && ` · ${t('users.InvitedBy', { name: invitedBy })}`}
        </span>
      </span>
      <span className={records.facts}>{servers.map(({ name }) => name).join(', ')}</span>
      <Button
        size="xs"
        variant="default"
        loading={remove.isPending}
        aria-label={t('users.EndInviteOf', { email })}
        onClick={() => void run()}
      >
        {t('users.EndInvite')}
      </Button>
    </li>
  )
}
