import { limits } from '@innkeeper/contract/limits'
import { deleteMail, listMail, type MailState, mailStates, type QueuedMail, retryMail } from '@innkeeper/contract/mail'
import { ActionIcon, Button, NativeSelect, Paper, Skeleton } from '@mantine/core'
import { IconCircleCheck, IconCircleX, IconClock, IconMailCheck, IconRefresh, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { useConfirm } from '../../ui/confirm.tsx'
import { EmptyState, QueryError } from '../../ui/empty-state.tsx'
import { Pager } from '../../ui/pager.tsx'
import { RelativeTime } from '../../ui/relative-time.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './mail-queue.module.css'
import cards from './settings-screen.module.css'

/** The mail that was written and where it is: what waits, what was given up and why. */
export function MailQueue({ id }: { id: string }) {
  const t = useT()
  const { number } = useFormatters()
  const [state, setState] = useState<MailState>()
  const [page, setPage] = useState(1)
  const mail = useApiQuery(
    listMail,
    { query: { page, ...(state === undefined ? {} : { state }) } },
    { refetchInterval: limits.mailEveryMs, meta: { quiet: true }, placeholderData: (before) => before },
  )
  const isLate = useDelayed(mail.isPending)
  const counts = mail.data?.counts
  const optionOf = (one: MailState) => ({
    value: one,
    label: counts
      ? t('settings.MailCounted', { state: t(stateNames[one]), mails: number(counts[one]) })
      : t(stateNames[one]),
  })

  return (
    <Paper>
      <section id={id} className={cards.card} aria-label={t('settings.MailQueue')}>
        <div className={cards.head}>
          <h2 tabIndex={-1}>{t('settings.MailQueue')}</h2>
          <NativeSelect
            size="xs"
            className={`ik-soft ${classes.filter}`}
            aria-label={t('settings.MailFilter')}
            value={state ?? ''}
            data={[{ value: '', label: t('settings.MailAll') }, ...mailStates.map(optionOf)]}
            onChange={(event) => {
              const { value } = event.currentTarget
              setState(mailStates.find((one) => one === value))
              setPage(1)
            }}
          />
        </div>
        {mail.data ? (
          mail.data.mail.length === 0 ? (
            <EmptyState
              icon={<IconMailCheck size={24} aria-hidden />}
              title={t(state === undefined ? 'settings.MailNone' : 'settings.MailNoneSo')}
            />
          ) : (
            <ul className={classes.list}>
              {mail.data.mail.map((one) => (
                <MailRow key={one.id} mail={one} />
              ))}
            </ul>
          )
        ) : mail.error ? (
          <QueryError title={t('settings.MailLoadFailed')} error={mail.error} retry={() => void mail.refetch()} />
        ) : (
          isLate && <Skeleton h={56} m={16} w="auto" aria-label={t('common.Loading')} />
        )}
        {mail.data && <Pager paging={mail.data.paging} onPage={setPage} />}
      </section>
    </Paper>
  )
}

const stateNames: Readonly<Record<MailState, string>> = {
  waiting: 'settings.MailWaiting',
  sending: 'settings.MailSending',
  sent: 'settings.MailSent',
  failed: 'settings.MailFailed',
}
const stateIcons = { waiting: IconClock, sending: IconRefresh, sent: IconCircleCheck, failed: IconCircleX }

function MailRow({ mail }: { mail: QueuedMail }) {
  const t = useT()
  const { number, dateTime } = useFormatters()
  const confirm = useConfirm()
  const retry = useApiMutation(retryMail, { invalidates: [listMail] })
  const remove = useApiMutation(deleteMail, { invalidates: [listMail] })
  const given = { params: { id: mail.id } }
  const name = t(`settings.Mail_${mail.kind}`)
  const Icon = stateIcons[mail.state]
  const mayChange = mail.state === 'waiting' || mail.state === 'failed'

  const take = async () => {
    const isWanted = await confirm({
      title: t('settings.MailDeleteTitle'),
      body: t('settings.MailDeleteBody', { mail: name, email: mail.to }),
      action: t('settings.MailDelete'),
      danger: true,
    })
    // `useSend` tells what was refused.
    if (isWanted) await remove.mutateAsync(given).catch(() => undefined)
  }
  return (
    <li className={classes.mail}>
      <span className={`${classes.state} ${classes[mail.state]}`}>
        <Icon size={16} aria-hidden />
        {t(stateNames[mail.state])}
      </span>
      <span className={classes.what}>
        <b>{name}</b>
        <bdi dir="ltr">{mail.to}</bdi>
      </span>
      <span className={classes.facts}>
        <RelativeTime at={mail.endedAt ?? mail.createdAt} />
        {mail.tries > 1 && <span>{t('settings.MailTries', { count: mail.tries, tries: number(mail.tries) })}</span>}
        {mail.state === 'waiting' && mail.tries > 0 && mail.nextTryAt !== undefined && (
          <span>{t('settings.MailNextTry', { time: dateTime(Date.parse(mail.nextTryAt)) })}</span>
        )}
      </span>
      {mayChange && (
        <span className={classes.actions}>
          <Button
            size="xs"
            variant="default"
            loading={retry.isPending}
            leftSection={<IconRefresh size={15} aria-hidden />}
            aria-label={t('settings.MailRetryTo', { mail: name, email: mail.to })}
            onClick={() => void retry.mutateAsync(given).catch(() => undefined)}
          >
            {t('settings.MailRetry')}
          </Button>
          <ActionIcon
            aria-label={t('settings.MailDeleteTo', { mail: name, email: mail.to })}
            data-tip={t('common.Delete')}
            loading={remove.isPending}
            onClick={() => void take()}
          >
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </span>
      )}
      {mail.lastError !== undefined && mail.state !== 'sent' && <p className={classes.error}>{mail.lastError}</p>}
    </li>
  )
}
