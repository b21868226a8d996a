import { endOtherSessions, endSession, listSessions, type SessionView } from '@innkeeper/contract/accounts/account'
import { Badge, Box, Button, Text } from '@mantine/core'
import { IconDeviceDesktop, IconDeviceMobile } from '@tabler/icons-react'
import { useState } from 'react'
import { Trans } from 'react-i18next'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { RowList } from '../../ui/layout/row-list.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { CodeText } from '../../ui/text/code-text.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AccountRow, AccountSection } from './account-section.tsx'
import { parseUserAgent } from './user-agent.ts'

/** How many sessions are shown at first. */
const maxCollapsed = 5

/** Where the user is signed in; sessions elsewhere can be signed out. */
export function Sessions() {
  const t = useT()
  const query = useApiQuery(listSessions)
  const endOthers = useApiMutation(endOtherSessions, {
    invalidates: [listSessions],
    onSuccess: () => toast.success(t('account.SignedOutOthers')),
  })
  const [isExpanded, setIsExpanded] = useState(false)
  const hasOthers = (query.data ?? []).some(({ isCurrent }) => !isCurrent)

  return (
    <AccountSection
      id="sessions"
      title={t('account.Sessions')}
      isFlush
      actions={
        hasOthers && (
          <Button size="xs" variant="default" loading={endOthers.isPending} onClick={() => endOthers.mutate()}>
            {t('account.SignOutOthers')}
          </Button>
        )
      }
    >
      <QueryState query={query} errorTitle={t('account.SessionsFailed')}>
        {(sessions) => (
          <>
            <RowList>
              {sessions.slice(0, isExpanded ? sessions.length : maxCollapsed).map((session) => (
                <SessionRow key={session.id} session={session} />
              ))}
            </RowList>
            {sessions.length > maxCollapsed && !isExpanded && (
              <Box p="md" pt={0}>
                <Button size="xs" variant="default" onClick={() => setIsExpanded(true)}>
                  {t('account.ShowAllSessions', { count: sessions.length })}
                </Button>
              </Box>
            )}
          </>
        )}
      </QueryState>
    </AccountSection>
  )
}

function SessionRow({ session: { id, agent, address, isCurrent, createdAt, usedAt } }: { session: SessionView }) {
  const t = useT()
  const browser = parseUserAgent(agent)
  const name = browser
    ? t('account.BrowserOn', browser)
    : agent
      ? t('account.Program', { agent })
      : t('account.UnknownBrowser')
  const isMobile = browser?.system === 'Android' || browser?.system === 'iOS'
  const end = useApiMutation(endSession, {
    invalidates: [listSessions],
    onSuccess: () => toast.success(t('account.SignedOut', { name })),
  })
  return (
    <AccountRow
      Icon={isMobile ? IconDeviceMobile : IconDeviceDesktop}
      title={name}
      action={
        isCurrent ? (
          <Badge>{t('account.ThisDevice')}</Badge>
        ) : (
          <Button
            size="xs"
            variant="default"
            loading={end.isPending}
            aria-label={t('account.SignOutOf', { name })}
            onClick={() => end.mutate({ params: { id } })}
          >
            {t('account.SignOut')}
          </Button>
        )
      }
    >
      <Text inherit>
        <Trans
          i18nKey={isCurrent ? 'account.CurrentSession' : 'account.OtherSession'}
          values={{ address }}
          components={{
            code: <CodeText>{address}</CodeText>,
            used: <RelativeTime time={usedAt} />,
            started: <RelativeTime time={createdAt} />,
          }}
        />
      </Text>
    </AccountRow>
  )
}
