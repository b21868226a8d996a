import { deleteInvite, type Invite, listInvites } from '@innkeeper/contract/accounts/invites'
import { limits } from '@innkeeper/contract/text/limits'
import { Button, Group, Paper, Stack, Text } from '@mantine/core'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { toast } from '../../ui/toasts/toast.tsx'

/** Invitations that were not accepted yet; renders nothing when there are none. */
export function PendingInvites() {
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
