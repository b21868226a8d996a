import { disableOtp, getOtp, listSessions, renewRecoveryCodes, startOtp } from '@innkeeper/contract/account'
import type { AnswerOf } from '@innkeeper/contract/call'
import { Badge, Button, Modal, Skeleton } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useApiMutation } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { QueryError } from '../../ui/empty-state.tsx'
import { OtpForm } from '../../ui/otp-form.tsx'
import { toast } from '../../ui/toast.tsx'
import { useDelayed } from '../../ui/use-delayed.ts'
import classes from './account-screen.module.css'
import { Enrolment } from './enrolment.tsx'
import { Part } from './part.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Started = AnswerOf<typeof startOtp>

/** Fewer recovery codes than this are worth a warning. */
const fewCodes = 3

/** A second factor for the login: off, being set up, or on. */
export function TwoFactor() {
  const t = useT()
  const { dateTime } = useFormatters()
  const state = useApiQuery(getOtp)
  const isLate = useDelayed(state.isPending)
  const start = useApiMutation(startOtp, { invalidates: [getOtp] })
  const disable = useApiMutation(disableOtp, { silent: true, invalidates: [getOtp, listSessions] })
  const renew = useApiMutation(renewRecoveryCodes, { silent: true, invalidates: [getOtp] })
  const [started, setStarted] = useState<Started>()
  const [asking, setAsking] = useState<'off' | 'renew'>()
  /** Codes to be saved, and what is said when they are. */
  const [codes, setCodes] = useState<{ readonly list: readonly string[]; readonly said?: string }>()
  const isOn = state.data?.otpEnabled === true
  const left = state.data?.recoveryCodesLeft
  const enabledAt = state.data?.enabledAt

  const begin = async () => {
    try {
      setStarted(await start.mutateAsync())
    } catch (error) {
      // It was told already; when it was switched on elsewhere meanwhile, this page has to learn of it.
      if (isRefusal(error, 'ErrOtpEnabled')) await state.refetch()
    }
  }
  const turnOff = async (token: string) => {
    await disable.mutateAsync({ params: { token } })
    setAsking(undefined)
    toast.success(t('two-factor.TurnedOff'))
  }
  const makeNew = async (token: string) => {
    const { recoveryCodes } = await renew.mutateAsync({ body: { token } })
    setAsking(undefined)
    setCodes({ list: recoveryCodes })
  }
  const leave = { label: t('common.Cancel'), run: () => setAsking(undefined) }

  const content = () => {
    if (state.isError && !state.data) {
      const retry = () => void state.refetch()
      return <QueryError title={t('two-factor.LoadFailed')} error={state.error} retry={retry} />
    }
    if (state.isPending) return isLate && <Skeleton h={64} m="md" w="auto" aria-label={t('common.Loading')} />
    if (started && !isOn) {
      return (
        <Enrolment
          started={started}
          onCancel={() => setStarted(undefined)}
          onDone={(recoveryCodes) => {
            setStarted(undefined)
            setCodes({ list: recoveryCodes, said: t('two-factor.TurnedOn') })
          }}
        />
      )
    }
    if (!isOn) {
      return (
        <div className={classes.line}>
          <p>{t('two-factor.About')}</p>
          <Button loading={start.isPending} onClick={() => void begin()}>
            {t('two-factor.SetUp')}
          </Button>
        </div>
      )
    }
    return (
      <div className={classes.body}>
        {left !== undefined && left < fewCodes && (
          <Alert type="warning">
            {left === 0 ? t('two-factor.NoCodesLeft') : t('two-factor.CodesLeft', { count: left })}
          </Alert>
        )}
        <div className={classes.line}>
          <div className={classes.what}>
            <p>{t('two-factor.About')}</p>
            {enabledAt !== undefined && <p>{t('two-factor.OnSince', { time: dateTime(Date.parse(enabledAt)) })}</p>}
            {left !== undefined && left >= fewCodes && <p>{t('two-factor.CodesLeft', { count: left })}</p>}
          </div>
          <Button variant="default" onClick={() => setAsking('renew')}>
            {t('two-factor.Renew')}
          </Button>
          <Button variant="default" c="var(--ik-offline)" onClick={() => setAsking('off')}>
            {t('two-factor.TurnOff')}
          </Button>
        </div>
      </div>
    )
  }

  return (
    <Part
      id="two-factor"
      title={t('two-factor.Title')}
      isBare
      aside={
        state.data && (
          <Badge>
            <IconShieldLock size={13} aria-hidden {...(isOn ? { color: 'var(--ik-online)' } : {})} />
            {t(isOn ? 'two-factor.On' : 'two-factor.Off')}
          </Badge>
        )
      }
    >
      {content()}
      <Modal
        opened={asking !== undefined}
        onClose={leave.run}
        title={t(asking === 'renew' ? 'two-factor.RenewTitle' : 'two-factor.TurnOffTitle')}
      >
        <p className={classes.hint}>{t(asking === 'renew' ? 'two-factor.RenewHint' : 'two-factor.TurnOffHint')}</p>
        {asking === 'renew' ? (
          <OtpForm action={t('two-factor.Renew')} submit={makeNew} leave={leave} />
        ) : (
          <OtpForm action={t('two-factor.TurnOff')} submit={turnOff} takesRecoveryCode isDangerous leave={leave} />
        )}
      </Modal>
      {codes && (
        <RecoveryCodes
          codes={codes.list}
          onSaved={() => {
            setCodes(undefined)
            if (codes.said) toast.success(codes.said)
          }}
        />
      )}
    </Part>
  )
}
