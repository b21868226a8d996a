import { limits } from '@innkeeper/contract/limits'
import { deleteMail, listMail, type MailState, mailStates, type QueuedMail, retryMail } from '@innkeeper/contract/mail'
import { Box, Button, Flex, Group, NativeSelect, Paper, Text } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconClock, IconMailCheck, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { CardHeader } from '../../ui/card-header.tsx'
import { useConfirm } from '../../ui/confirm.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { IconButton } from '../../ui/icon-button.tsx'
import { Pager } from '../../ui/pager.tsx'
import { QueryState } from '../../ui/query-state.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { RowList } from '../../ui/row-list.tsx'

const statusTexts = {
  waiting: 'settings.MailWaiting',
  sending: 'settings.MailSending',
  sent: 'settings.MailSent',
  failed: 'settings.MailFailed',
} as const satisfies Record<MailState, string>
const statusColors = {
  waiting: 'var(--ik-unknown)',
  sending: 'var(--ik-info)',
  sent: 'var(--ik-online)',
  failed: 'var(--ik-offline)',
} as const satisfies Record<MailState, string>
const statusIcons = { waiting: IconClock, sending: IconRefresh, sent: IconCircleCheck, failed: IconCircleX }

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
    const name = t(statusTexts[value])
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
            setStatus(mailStates.find((one) => one === value))
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
  const { number, dateTime } = useFormatters()
  const name = t(`settings.Mail_${mail.kind}`)
  const Icon = statusIcons[mail.state]
  const color = statusColors[mail.state]

  return (
    <Group component="li" wrap="nowrap" px="md" py="sm" align="center">
      <Flex flex={1} miw={0} direction={{ base: 'column', xs: 'row' }} gap={{ base: '2xs', xs: 'md' }}>
        <Group gap="2xs" w="7rem" flex="none" wrap="nowrap" c={color} fz="compact" fw={500} mih="1.25rem">
          <Icon size={16} aria-hidden />
          {t(statusTexts[mail.state])}
        </Group>
        <Box flex={1} miw={0} style={{ overflowWrap: 'anywhere' }}>
          <Text fw={500}>{name}</Text>
          <Text variant="note">
            <bdi dir="ltr">{mail.to}</bdi>
          </Text>
          <Group gap="md" c="dimmed" fz="xs" style={{ rowGap: 0 }}>
            <RelativeTime time={mail.endedAt ?? mail.createdAt} />
            {mail.tries > 1 && <span>{t('settings.MailTries', { count: mail.tries, tries: number(mail.tries) })}</span>}
            {mail.state === 'waiting' && mail.tries > 0 && mail.nextTryAt !== undefined && (
              <span>{t('settings.MailNextTry', { time: dateTime(Date.parse(mail.nextTryAt)) })}</span>
            )}
          </Group>
          {mail.lastError !== undefined && mail.state !== 'sent' && (
            <Text c="var(--ik-offline)" fz="compact" lh="1.125rem">
              {mail.lastError}
            </Text>
          )}
        </Box>
      </Flex>
      {(mail.state === 'waiting' || mail.state === 'failed') && <MailActions mail={mail} name={name} />}
    </Group>
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

  const confirmAndRemove = async () => {
    const isConfirmed = await confirm({
      title: t('settings.MailDeleteTitle'),
      body: t('settings.MailDeleteBody', names),
      action: t('settings.MailDelete'),
    })
    if (isConfirmed) remove.mutate(input)
  }
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
        {t('common.Retry')}
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
