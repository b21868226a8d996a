import { disableOtp, getOtp, listSessions, renewRecoveryCodes, startOtp } from '@innkeeper/contract/account'
import type { AnswerOf } from '@innkeeper/contract/call'
import { Button, Modal, Skeleton } from '@mantine/core'
import { IconShieldLock } from '@tabler/icons-react'
import { useState } from 'react'
import { isRefusal } from '../../api/request.ts'
import { useCall } from '../../api/use-call.ts'
import { useSend } from '../../api/use-send.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { CodeEntry } from '../../ui/code-entry.tsx'
import { LoadFailure } from '../../ui/empty-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Badge } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { useIsLate } from '../../ui/use-late.ts'
import classes from './account-screen.module.css'
import { Enrolment } from './enrolment.tsx'
import { Part } from './part.tsx'
import { RecoveryCodes } from './recovery-codes.tsx'

type Started = AnswerOf<typeof startOtp>

/** Fewer recovery codes than this are worth a warning. */
const fewCodes = 3

/** A second factor for the login: off, being set up, or on. */
export function TwoFactor() {
  const text = useText()
  const { dateTime } = useFormats()
  const state = useCall(getOtp)
  const isLate = useIsLate(state.isPending)
  const start = useSend(startOtp, { refreshes: [getOtp] })
  const disable = useSend(disableOtp, { quiet: true, refreshes: [getOtp, listSessions] })
  const renew = useSend(renewRecoveryCodes, { quiet: true, refreshes: [getOtp] })
  const [started, setStarted] = useState<Started>()
  const [asking, setAsking] = useState<'off' | 'renew'>()
  /** Codes to be saved, and what is said when they are. */
  const [codes, setCodes] = useState<{ readonly list: readonly string[]; readonly said?: string }>()
  const isOn = state.data?.otpEnabled === true
  const left = state.data?.recoveryCodesLeft
  const enabledAt = state.data?.enabledAt

  const begin = async () => {
    try {
      setStarted(await start.send())
    } catch (error) {
      // It was told already; when it was switched on elsewhere meanwhile, this page has to learn of it.
      if (isRefusal(error, 'ErrOtpEnabled')) await state.refetch()
    }
  }
  const turnOff = async (token: string) => {
    await disable.send({ params: { token } })
    setAsking(undefined)
    toast.success(text('two-factor.TurnedOff'))
  }
  const makeNew = async (token: string) => {
    const { recoveryCodes } = await renew.send({ body: { token } })
    setAsking(undefined)
    setCodes({ list: recoveryCodes })
  }
  const leave = { label: text('common.Cancel'), run: () => setAsking(undefined) }

  const content = () => {
    if (state.isError && !state.data) {
      const again = () => void state.refetch()
      return <LoadFailure title={text('two-factor.LoadFailed')} error={state.error} again={again} />
    }
    if (state.isPending) return isLate && <Skeleton h={64} m="md" w="auto" aria-label={text('common.Loading')} />
    if (started && !isOn) {
      return (
        <Enrolment
          started={started}
          onCancel={() => setStarted(undefined)}
          onDone={(recoveryCodes) => {
            setStarted(undefined)
            setCodes({ list: recoveryCodes, said: text('two-factor.TurnedOn') })
          }}
        />
      )
    }
    if (!isOn) {
      return (
        <div className={classes.line}>
          <p>{text('two-factor.About')}</p>
          <Button loading={start.pending} onClick={() => void begin()}>
            {text('two-factor.SetUp')}
          </Button>
        </div>
      )
    }
    return (
      <div className={classes.body}>
        {left !== undefined && left < fewCodes && (
          <Notice kind="warning">
            {left === 0 ? text('two-factor.NoCodesLeft') : text('two-factor.CodesLeft', { count: left })}
          </Notice>
        )}
        <div className={classes.line}>
          <div className={classes.what}>
            <p>{text('two-factor.About')}</p>
            {enabledAt !== undefined && <p>{text('two-factor.OnSince', { time: dateTime(Date.parse(enabledAt)) })}</p>}
            {left !== undefined && left >= fewCodes && <p>{text('two-factor.CodesLeft', { count: left })}</p>}
          </div>
          <Button variant="default" onClick={() => setAsking('renew')}>
            {text('two-factor.Renew')}
          </Button>
          <Button variant="default" c="var(--ik-offline)" onClick={() => setAsking('off')}>
            {text('two-factor.TurnOff')}
          </Button>
        </div>
      </div>
    )
  }

  return (
    <Part
      id="two-factor"
      title={text('two-factor.Title')}
      isBare
      aside={
        state.data && (
          <Badge>
            <IconShieldLock size={13} aria-hidden {...(isOn ? { color: 'var(--ik-online)' } : {})} />
            {text(isOn ? 'two-factor.On' : 'two-factor.Off')}
          </Badge>
        )
      }
    >
      {content()}
      <Modal
        opened={asking !== undefined}
        onClose={leave.run}
        title={text(asking === 'renew' ? 'two-factor.RenewTitle' : 'two-factor.TurnOffTitle')}
        closeButtonProps={{ 'aria-label': text('common.Close') }}
      >
        <p className={classes.hint}>{text(asking === 'renew' ? 'two-factor.RenewHint' : 'two-factor.TurnOffHint')}</p>
        {asking === 'renew' ? (
          <CodeEntry action={text('two-factor.Renew')} submit={makeNew} leave={leave} />
        ) : (
          <CodeEntry action={text('two-factor.TurnOff')} submit={turnOff} takesRecoveryCode isDangerous leave={leave} />
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
