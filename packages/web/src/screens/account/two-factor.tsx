import { disableOtp, getOtp, listSessions, renewRecoveryCodes, startOtp } from '@innkeeper/contract/accounts/account'
import type { ResponseOf } from '@innkeeper/contract/api/endpoint'
import { Badge, Box, Button, Group, Modal, Stack, Text } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useState } from 'react'
import { useApiMutation } from '../../api/use-action.ts'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { Alert } from '../../ui/feedback/alert.tsx'
import { OtpForm } from '../../ui/fields/otp-form.tsx'
import { QueryState } from '../../ui/loading/query-state.tsx'
import { toast } from '../../ui/toasts/toast.tsx'
import { AccountSection } from './account-section.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'
import { TotpSetup } from './totp-setup.tsx'

type TwoFactorStatus = ResponseOf<typeof getOtp>

/** Two-factor authentication: off, being set up, or on. */
export function TwoFactor() {
  const t = useT()
  const query = useApiQuery(getOtp)
  const [started, setStarted] = useState<ResponseOf<typeof startOtp>>()
  // When it was turned on elsewhere, the refetched state shows that.
  const start = useApiMutation(startOtp, { invalidates: [getOtp], onSuccess: setStarted })
  const [newCodes, setNewCodes] = useState<NewCodes>()
  const isOn = query.data?.otpEnabled === true

  const renderContent = (status: TwoFactorStatus) => {
    if (status.otpEnabled) return <TwoFactorOn status={status} onNewCodes={(codes) => setNewCodes({ codes })} />
    if (started) {
      return (
        <TotpSetup
          started={started}
          onCancel={() => setStarted(undefined)}
          onDone={(codes) => {
            setStarted(undefined)
            setNewCodes({ codes, message: t('two-factor.TurnedOn') })
          }}
        />
      )
    }
    return (
      <Group gap="sm" p="md">
        <Text flex="1 1 16rem" variant="note">
          {t('two-factor.About')}
        </Text>
        <Button variant="default" loading={start.isPending} onClick={() => void start.mutate()}>
          {t('two-factor.SetUp')}
        </Button>
      </Group>
    )
  }

  return (
    <AccountSection
      id="two-factor"
      title={t('two-factor.Title')}
      isFlush
      actions={
        query.data && (
          <Badge
            leftSection={<IconShieldLock size={13} aria-hidden {...(isOn ? { color: 'var(--ik-online)' } : {})} />}
          >
            {t(isOn ? 'common.On' : 'common.Off')}
          </Badge>
        )
      }
    >
      <QueryState query={query} errorTitle={t('two-factor.LoadFailed')}>
        {renderContent}
      </QueryState>
      {newCodes && (
        <RecoveryCodes
          codes={newCodes.codes}
          onClose={() => {
            setNewCodes(undefined)
            if (newCodes.message) toast.success(newCodes.message)
          }}
        />
      )}
    </AccountSection>
  )
}

interface NewCodes {
  readonly codes: readonly string[]
  /** The toast after the codes have been saved. */
  readonly message?: string
}

/** With fewer recovery codes left, a warning is shown. */
const fewCodes = 3

interface TwoFactorOnProps {
  readonly status: TwoFactorStatus
  readonly onNewCodes: (codes: readonly string[]) => void
}

/** Status, new recovery codes and turning it off; both actions require a code. */
function TwoFactorOn({ status: { recoveryCodesLeft, enabledAt }, onNewCodes }: TwoFactorOnProps) {
  const t = useT()
  const { dateTime } = useFormatters()
  const disable = useApiMutation(disableOtp, { invalidates: [getOtp, listSessions] })
  const renew = useApiMutation(renewRecoveryCodes, { invalidates: [getOtp] })
  const [dialog, setDialog] = useState<'turnOff' | 'renew'>()

  const closeDialog = () => setDialog(undefined)
  const turnOff = async (token: string) => {
    await disable.mutateAsync({ params: { token } })
    toast.success(t('two-factor.TurnedOff'))
  }
  const renewCodes = async (token: string) => {
    const { recoveryCodes } = await renew.mutateAsync({ body: { token } })
    closeDialog()
    onNewCodes(recoveryCodes)
  }
  const secondaryAction = { label: t('common.Cancel'), run: closeDialog }

  return (
    <Stack p="md">
      {recoveryCodesLeft !== undefined && recoveryCodesLeft < fewCodes && (
        <Alert type="warning">
          {recoveryCodesLeft === 0
            ? t('two-factor.NoCodesLeft')
            : t('two-factor.CodesLeft', { count: recoveryCodesLeft })}
        </Alert>
      )}
      <Group gap="sm">
        <Box flex="1 1 16rem" c="dimmed" fz="compact">
          <p>{t('two-factor.About')}</p>
          {enabledAt !== undefined && <p>{t('two-factor.OnSince', { time: dateTime(Date.parse(enabledAt)) })}</p>}
          {recoveryCodesLeft !== undefined && recoveryCodesLeft >= fewCodes && (
            <p>{t('two-factor.CodesLeft', { count: recoveryCodesLeft })}</p>
          )}
        </Box>
        <Button variant="default" onClick={() => setDialog('renew')}>
          {t('two-factor.Renew')}
        </Button>
        <Button variant="default" c="var(--ik-offline)" onClick={() => setDialog('turnOff')}>
          {t('two-factor.TurnOff')}
        </Button>
      </Group>
      <Modal
        opened={dialog !== undefined}
        onClose={closeDialog}
        title={t(dialog === 'renew' ? 'two-factor.RenewTitle' : 'two-factor.TurnOffTitle')}
      >
        <Text mb="md" variant="note">
          {t(dialog === 'renew' ? 'two-factor.RenewHint' : 'two-factor.TurnOffHint')}
        </Text>
        {dialog === 'renew' ? (
          <OtpForm action={t('two-factor.Renew')} submit={renewCodes} secondaryAction={secondaryAction} />
        ) : (
          <OtpForm
            action={t('two-factor.TurnOff')}
            submit={turnOff}
            allowRecoveryCode
            isDangerous
            secondaryAction={secondaryAction}
          />
        )}
      </Modal>
    </Stack>
  )
}
