import { Box, Button, Group, Stack, Text } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { Link, useLocation } from 'react-router'
import { useSignOut } from '../forms/unsaved-changes.tsx'
import { useT } from '../i18n/i18n.tsx'
import { useFormatters } from '../i18n/use-formatters.ts'
import { Passkeys } from '../screens/account/passkeys.tsx'
import { TwoFactor } from '../screens/account/two-factor.tsx'
import { useSession } from '../session/session.tsx'
import { Alert } from '../ui/feedback/alert.tsx'
import { Page, PageHeader } from '../ui/layout/page.tsx'

/** Reminds users who must get a second factor, and leads them through the set-up when the time has come. */
export function SecondFactor({ children }: { children: ReactNode }) {
  const { self } = useSession()
  const due = self?.secondFactor
  // It stays open until the user has saved the recovery codes.
  const [isOpen, setIsOpen] = useState(false)
  if (due?.isRequired && !isOpen) setIsOpen(true)
  if (isOpen) return <SecondFactorSetup isDone={!due} onContinue={() => setIsOpen(false)} />
  return (
    <>
      {due && <Reminder from={due.from} />}
      {children}
    </>
  )
}

function Reminder({ from }: { from: string }) {
  const t = useT()
  const { dateTime } = useFormatters()
  const { pathname } = useLocation()
  return (
    <Box px="md" pt="md">
      <Alert
        type="warning"
        role="status"
        action={
          pathname !== '/account' && (
            <Button size="xs" variant="default" component={Link} to="/account#passkeys">
              {t('two-factor.SetUpNow')}
            </Button>
          )
        }
      >
        {t('two-factor.RequiredFrom', { time: dateTime(Date.parse(from)) })}
      </Alert>
    </Box>
  )
}

function SecondFactorSetup({ isDone, onContinue }: { isDone: boolean; onContinue: () => void }) {
  const t = useT()
  const signOut = useSignOut()
  return (
    <Page type="form">
      <PageHeader title={t('two-factor.RequiredTitle')} />
      <Stack>
        <Text>{t(isDone ? 'two-factor.RequiredDone' : 'two-factor.RequiredHow')}</Text>
        <Passkeys />
        <TwoFactor />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={signOut}>
            {t('shell.SignOut')}
          </Button>
          <Button disabled={!isDone} onClick={onContinue}>
            {t('common.Continue')}
          </Button>
        </Group>
      </Stack>
    </Page>
  )
}
