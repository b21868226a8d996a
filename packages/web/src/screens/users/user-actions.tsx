import {
  confirmUserEmail,
  deleteUser,
  getUser,
  listUsers,
  resetUserOtp,
  type UserDetail,
} from '@innkeeper/contract/accounts/users'
import { Button } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useNavigate } from 'react-router'
import { useApiMutation } from '../../api/use-action.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useCan, useSession } from '../../session/session.tsx'
import { useConfirm } from '../../ui/overlays/confirm.ts'
import { toast } from '../../ui/toasts/toast.tsx'

/** Buttons that confirm the email address of a user, turn off two-factor and delete the account. */
export function UserActions({ user, onDeleted }: { user: UserDetail; onDeleted: () => void }) {
  const t = useT()
  const confirm = useConfirm()
  const navigate = useNavigate()
  const { self } = useSession()
  const isAdmin = useCan('servers.admin')
  const { username: name, email } = user
  const params = { id: user.id }
  const isSelf = self?.id === user.id

  const confirmEmail = useApiMutation(confirmUserEmail, {
    invalidates: [getUser],
    onSuccess: () => toast.success(t('users.EmailConfirmed', { email })),
  })
  const resetOtp = useApiMutation(resetUserOtp, {
    invalidates: [getUser],
    onSuccess: () => toast.success(t('users.OtpReset', { name })),
  })
  const remove = useApiMutation(deleteUser, {
    invalidates: [listUsers],
    onSuccess: () => {
      onDeleted()
      toast.success(t('common.Deleted', { name }))
      void navigate('/user')
    },
  })
  const askToConfirmEmail = () =>
    confirm({
      title: t('users.ConfirmEmailTitle', { email }),
      body: t('users.ConfirmEmailBody', { name }),
      action: t('users.ConfirmEmail'),
      danger: false,
      onConfirm: () => confirmEmail.mutate({ params }),
    })
  const askToResetOtp = () =>
    confirm({
      title: t('users.ResetOtpTitle', { name }),
      body: t('users.ResetOtpBody'),
      action: t('users.ResetOtp'),
      onConfirm: () => resetOtp.mutate({ params }),
    })
  const askToDelete = () =>
    confirm({
      title: t('common.DeleteQuestion', { name }),
      body: t(isSelf ? 'users.DeleteSelfBody' : 'users.DeleteBody'),
      action: t('users.Delete'),
      typeToConfirm: name,
      onConfirm: () => remove.mutate({ params }),
    })

  return (
    <>
      {!user.emailConfirmed && isAdmin && (
        <Button size="xs" variant="default" loading={confirmEmail.isPending} onClick={() => void askToConfirmEmail()}>
          {t('users.ConfirmEmail')}
        </Button>
      )}
      {user.otpEnabled && !isSelf && (
        <Button size="xs" variant="default" loading={resetOtp.isPending} onClick={() => void askToResetOtp()}>
          {t('users.ResetOtp')}
        </Button>
      )}
      <Button
        size="xs"
        variant="default"
        c="var(--ik-offline)"
        leftSection={<IconTrash size={16} aria-hidden />}
        loading={remove.isPending}
        onClick={() => void askToDelete()}
      >
        {t('common.Delete')}
      </Button>
    </>
  )
}
