import {
  deleteMail,
  listMail,
  type MailState,
  mailStates,
  type QueuedMail,
  retryMail,
} from '@innkeeper/contract/alerts/mail'
import { limits } from '@innkeeper/contract/text/limits'
import { Button, Group, NativeSelect, Paper } from '@mantine/core'
import { IconMailCheck, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { EmptyState } from '../../ui/feedback/empty-state.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { CardHeader } from '../../ui/lists/card-header.tsx'
import { DeliveryRow, deliveryStates } from '../../ui/lists/delivery-row.tsx'
import { Pager } from '../../ui/lists/pager.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { IconButton } from '../../ui/menus/icon-button.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'

/** Emails that wait, are sent or have failed. */
export function Outbox({ id }: { id: string }) {
  const t = useT()
  const { number } = useFormatters()
  const [status, setStatus] = useState<MailState>()
  const [page, setPage] = useState(1)
  const query = useApiQuery(
    listMail,
    { query: { page, ...(status === undefined ? {} : { state: status }) } },
    { refetchInterval: limits.mailEveryMs, meta: { quiet: true }, placeholderData: (previous) => previous },
  )
  const counts = query.data?.counts
  const statusOptions = mailStates.map((value) => {
    const name = t(deliveryStates[value].name)
    return {
      value,
      label: counts ? t('settings.MailCounted', { state: name, mails: number(counts[value]) }) : name,
    }
  })

  return (
    <Paper component="section" id={id} aria-label={t('settings.Outbox')} style={{ scrollMarginBlockStart: '1.25rem' }}>
      <CardHeader title={t('settings.Outbox')}>
        <NativeSelect
          size="xs"
          w="11rem"
          className="ik-soft"
          aria-label={t('common.StatusFilter')}
          value={status ?? ''}
          data={[{ value: '', label: t('settings.MailAll') }, ...statusOptions]}
          onChange={({ currentTarget: { value } }) => {
            setStatus(mailStates.find((state) => state === value))
            setPage(1)
          }}
        />
      </CardHeader>
      <QueryState
        query={query}
        errorTitle={t('settings.MailLoadFailed')}
        isEmpty={({ mail }) => mail.length === 0}
        empty={
          <EmptyState
            icon={IconMailCheck}
            title={t(status === undefined ? 'settings.MailNone' : 'settings.MailNoneWithStatus')}
          />
        }
      >
        {({ mail, paging }) => (
          <>
            <RowList>
              {mail.map((one) => (
                <MailRow key={one.id} mail={one} />
              ))}
            </RowList>
            <Pager paging={paging} onPage={setPage} />
          </>
        )}
      </QueryState>
    </Paper>
  )
}

function MailRow({ mail }: { mail: QueuedMail }) {
  const t = useT()
  const { kind, state, to, lastError } = mail
  const name = t(`settings.Mail_${kind}`)
  return (
    <DeliveryRow
      delivery={mail}
      title={name}
      error={lastError}
      action={(state === 'waiting' || state === 'failed') && <MailActions mail={mail} name={name} />}
    >
      <bdi dir="ltr">{to}</bdi>
    </DeliveryRow>
  )
}

/** Retry and delete. */
function MailActions({ mail, name }: { mail: QueuedMail; name: string }) {
  const t = useT()
  const confirm = useConfirm()
  const retry = useApiMutation(retryMail, { invalidates: [listMail] })
  const remove = useApiMutation(deleteMail, { invalidates: [listMail] })
  const input = { params: { id: mail.id } }
  const names = { mail: name, email: mail.to }

  const confirmAndRemove = () =>
    confirm({
      title: t('settings.MailDeleteTitle'),
      body: t('settings.MailDeleteBody', names),
      action: t('settings.MailDelete'),
      onConfirm: () => remove.mutate(input),
    })
  return (
    <Group gap="2xs" wrap="nowrap">
      <Button
        size="xs"
        variant="default"
        loading={retry.isPending}
        leftSection={<IconRefresh size={15} aria-hidden />}
        aria-label={t('settings.MailRetryTo', names)}
        onClick={() => retry.mutate(input)}
      >
        {t('common.TryAgain')}
      </Button>
      <IconButton
        label={t('settings.MailDeleteTo', names)}
        tooltip={t('common.Delete')}
        loading={remove.isPending}
        onClick={() => void confirmAndRemove()}
      >
        <IconTrash size={16} aria-hidden />
      </IconButton>
    </Group>
  )
}
