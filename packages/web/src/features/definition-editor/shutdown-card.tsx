import { stopTimeout } from '@innkeeper/contract/definitions/definition'
import { Autocomplete, Group, NumberInput, SegmentedControl } from '@mantine/core'
import { useState } from 'react'
import { findText, useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { getIn, setIn } from './json-path.ts'
import { FieldRow, PathInput, SectionCard, type SectionProps } from './section-card.tsx'

const signalPath = ['run', 'stopCode']
const timeoutPath = ['run', 'stopTimeout']
/** SIGHUP, SIGINT, SIGQUIT, SIGABRT, SIGKILL, SIGTERM. */
const signals = ['1', '2', '3', '6', '9', '15']

/** How the server is stopped. A signal takes precedence over a command. */
export function ShutdownCard({ raw, onChange }: SectionProps) {
  const t = useT()
  const signal = Number(getIn(raw, signalPath)) || 0
  const [isSignal, setIsSignal] = useState(signal !== 0)
  // Restored when the user switches to the command and back.
  const [lastSignal, setLastSignal] = useState(signal || 2)

  const selectMethod = (method: string) => {
    setIsSignal(method === 'signal')
    if (signal !== 0) setLastSignal(signal)
    onChange(setIn(raw, signalPath, method === 'signal' ? lastSignal : undefined))
  }
  const setSignal = (text: string) => {
    const digits = text.replace(/\D/g, '').slice(0, 2)
    onChange(setIn(raw, signalPath, digits === '' ? undefined : Number(digits)))
  }
  return (
    <SectionCard section="shutdown">
      <Group>
        <SegmentedControl
          size="xs"
          aria-label={t('definition.StopMethod')}
          value={isSignal ? 'signal' : 'command'}
          onChange={selectMethod}
          data={[
            { value: 'command', label: t('definition.StopMethod_command') },
            { value: 'signal', label: t('definition.StopMethod_signal') },
          ]}
        />
      </Group>
      <FieldRow>
        {isSignal ? (
          <Autocomplete
            {...codeInputProps}
            label={t('definition.Signal')}
            description={t('definition.SignalHelp')}
            inputMode="numeric"
            data={signals}
            filter={({ options }) => options}
            renderOption={({ option }) => findText(t, `definition.Signal_${option.value}`) ?? option.value}
            value={signal === 0 ? '' : String(signal)}
            onChange={setSignal}
          />
        ) : (
          <PathInput
            raw={raw}
            onChange={onChange}
            path={['run', 'stop']}
            label={t('definition.StopCommand')}
            description={t('definition.StopCommandHelp')}
          />
        )}
        <NumberInput
          label={t('definition.StopTimeout')}
          description={t('definition.StopTimeoutHelp')}
          placeholder={String(stopTimeout.default)}
          min={stopTimeout.min}
          max={stopTimeout.max}
          allowDecimal={false}
          value={Number(getIn(raw, timeoutPath)) || ''}
          onChange={(seconds) => onChange(setIn(raw, timeoutPath, seconds === '' ? undefined : Number(seconds)))}
        />
      </FieldRow>
    </SectionCard>
  )
}
