import type { SecondFactor } from '@innkeeper/contract/accounts/auth'
import { Button, Divider, Group, Modal, Stack, Text } from '@mantine/core'
import { IconDeviceMobile, IconFingerprint } from '@tabler/icons-react'
import { useState } from 'react'
import { verifyWithPasskey } from '../../api/passkeys.ts'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { ErrorAlert } from '../../ui/feedback/error-alert.tsx'
import { OtpForm } from '../../ui/fields/otp-form.tsx'
import { AuthIcon } from '../../ui/layout/auth-layout.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'

interface TwoFactorDialogProps {
  /** Of the account, if the user has entered it. */
  readonly email?: string
  readonly secondFactors: readonly SecondFactor[]
  /** Returns to the password step, with an error when the server ended this one. */
  readonly onBack: (error?: string) => void
}

/** Second step of sign-in: a passkey, the code of the authenticator app, or a recovery code. */
export function TwoFactorDialog({ email, secondFactors, onBack }: TwoFactorDialogProps) {
  const t = useT()
  const { verifyOtp, start } = useSession()
  const [isRecovering, setIsRecovering] = useState(false)
  const [hasCode, hasPasskey] = [secondFactors.includes('code'), secondFactors.includes('passkey')]
  const verify = async (send: () => Promise<void>) => {
    try {
      await send()
    } catch (error) {
      // The first step expired: it took too long, or there were too many wrong codes.
      if (!isRefusal(error, 'ErrInvalidSession', 'ErrSessionExpired')) throw error
      onBack(errorMessage(t, error))
    }
  }
  const back = {
    label: t(email === undefined ? 'reset.BackToSignIn' : 'two-factor.BackToPassword'),
    run: () => onBack(),
  }
  return (
    <Modal.Root opened onClose={() => onBack()} closeOnClickOutside={false} centered size={404} radius="xl">
      <Modal.Overlay />
      <Modal.Content>
        <Stack align="center" gap="lg" px={{ base: 'md', xs: 'xl' }} pt="xl" pb="lg">
          <AuthIcon>
            {hasCode ? <IconDeviceMobile size={24} aria-hidden /> : <IconFingerprint size={24} aria-hidden />}
          </AuthIcon>
          <Stack gap="2xs" ta="center">
            <Modal.Title fz="xl">{t(hasCode ? 'two-factor.EnterCode' : 'two-factor.UsePasskey')}</Modal.Title>
            {email !== undefined && (
              <Text variant="note" style={{ overflowWrap: 'anywhere' }}>
                {t(hasCode ? 'two-factor.EnterCodeFor' : 'two-factor.UsePasskeyFor', { email })}
              </Text>
            )}
          </Stack>
          {hasPasskey && (
            <PasskeyButton isPrimary={!hasCode} run={() => verify(async () => start(await verifyWithPasskey()))} />
          )}
          {hasPasskey && hasCode && <Divider w="100%" label={t('two-factor.Or')} />}
          {hasCode || isRecovering ? (
            <OtpForm
              action={t('sign-in.SignIn')}
              submit={(code) => verify(() => verifyOtp(code))}
              allowRecoveryCode={hasCode || 'only'}
              secondaryAction={back}
            />
          ) : (
            <Group justify="center" gap="2xs">
              <Button size="xs" variant="subtle" onClick={() => setIsRecovering(true)}>
                {t('two-factor.UseRecoveryCode')}
              </Button>
              <Button size="xs" variant="subtle" onClick={back.run}>
                {back.label}
              </Button>
            </Group>
          )}
        </Stack>
      </Modal.Content>
    </Modal.Root>
  )
}

function PasskeyButton({ isPrimary, run }: { isPrimary: boolean; run: () => Promise<void> }) {
  const t = useT()
  const [failure, setFailure] = useState<{ readonly error: unknown }>()
  const [isPending, setIsPending] = useState(false)
  const use = async () => {
    setIsPending(true)
    setFailure(undefined)
    await run().catch((error: unknown) => setFailure({ error }))
    setIsPending(false)
  }
  return (
    <Stack w="100%">
      {failure && <ErrorAlert error={failure.error} />}
      <Button
        h={40}
        variant={isPrimary ? 'filled' : 'default'}
        data-autofocus={isPrimary || undefined}
        leftSection={<IconFingerprint size={17} aria-hidden />}
        loading={isPending}
        onClick={() => void use()}
      >
        {t('two-factor.UsePasskey')}
      </Button>
    </Stack>
  )
}
