import { Modal } from '@mantine/core'
import { IconDeviceMobile } from '@tabler/icons-react'
import { isRefusal } from '../../api/request.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { OtpForm } from '../../ui/otp-form.tsx'
import classes from './two-factor-dialog.module.css'

interface TwoFactorDialogProps {
  readonly email: string
  /** Back to the password, with a reason where there is one. */
  readonly onBack: (reason?: string) => void
}

/** The second half of a login: the code of the authenticator, or a recovery code. */
export function TwoFactorDialog({ email, onBack }: TwoFactorDialogProps) {
  const t = useT()
  const { verifyOtp } = useSession()

  const confirm = async (code: string) => {
    try {
      await verifyOtp(code)
    } catch (error) {
      // The first half does not count any more: it took too long, or too many codes were wrong.
      if (!isRefusal(error, 'ErrInvalidSession', 'ErrSessionExpired')) throw error
      onBack(errorMessage(t, error))
    }
  }
  return (
    <Modal.Root opened onClose={() => onBack()} closeOnClickOutside={false} centered size={404} radius="xl">
      <Modal.Overlay />
      <Modal.Content className={classes.content ?? ''}>
        <div className={classes.dialog}>
          <span className={classes.icon}>
            <IconDeviceMobile size={24} aria-hidden />
          </span>
          <div>
            <Modal.Title className={classes.title ?? ''}>{t('two-factor.EnterCode')}</Modal.Title>
            <p className={classes.hint}>{t('two-factor.EnterCodeFor', { email })}</p>
          </div>
          <OtpForm
            action={t('login.LogIn')}
            submit={confirm}
            takesRecoveryCode
            leave={{ label: t('two-factor.BackToPassword'), run: () => onBack() }}
          />
        </div>
      </Modal.Content>
    </Modal.Root>
  )
}
