import { Modal, Stack, Text } from '@mantine/core'
import { IconDeviceMobile } from '@tabler/icons-react'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { OtpForm } from '../../ui/fields/otp-form.tsx'
import { AuthIcon } from '../../ui/layout/auth-layout.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'

interface TwoFactorDialogProps {
  readonly email: string
  /** Returns to the password step, with an error when the server ended this one. */
  readonly onBack: (error?: string) => void
}

/** Second step of sign-in: the code of the authenticator app, or a recovery code. */
export function TwoFactorDialog({ email, onBack }: TwoFactorDialogProps) {
  const t = useT()
  const { verifyOtp } = useSession()

  const submit = async (code: string) => {
    try {
      await verifyOtp(code)
    } catch (error) {
      // The first step expired: it took too long, or there were too many wrong codes.
      if (!isRefusal(error, 'ErrInvalidSession', 'ErrSessionExpired')) throw error
      onBack(errorMessage(t, error))
    }
  }
  return (
    <Modal.Root opened onClose={() => onBack()} closeOnClickOutside={false} centered size={404} radius="xl">
      <Modal.Overlay />
      <Modal.Content>
        <Stack align="center" gap="lg" px={{ base: 'md', xs: 'xl' }} pt="xl" pb="lg">
          <AuthIcon>
            <IconDeviceMobile size={24} aria-hidden />
          </AuthIcon>
          <Stack gap="2xs" ta="center">
            <Modal.Title fz="xl">{t('two-factor.EnterCode')}</Modal.Title>
            <Text variant="note" style={{ overflowWrap: 'anywhere' }}>
              {t('two-factor.EnterCodeFor', { email })}
            </Text>
          </Stack>
          <OtpForm
            action={t('sign-in.SignIn')}
            submit={submit}
            allowRecoveryCode
            secondaryAction={{ label: t('two-factor.BackToPassword'), run: () => onBack() }}
          />
        </Stack>
      </Modal.Content>
    </Modal.Root>
  )
}
