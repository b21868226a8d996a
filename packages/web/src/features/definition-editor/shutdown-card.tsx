import { Autocomplete, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './definition-editor.module.css'
import { code, fieldOrder, PartCard, type PartProps } from './part.tsx'
import { partAt, textAt, withPart, withTextAt } from './raw.ts'

const stopCode = ['run', 'stopCode']
/** Those that programs understand: hang up, interrupt, quit, abort, kill, terminate. */
const signals = ['1', '2', '3', '6', '9', '15']

/** How the server is asked to stop. A signal wins over a command. */
export function ShutdownCard({ raw, onChange }: PartProps) {
  const t = useT()
  const signal = Number(partAt(raw, stopCode)) || 0
  const [isBySignal, setIsBySignal] = useState(signal !== 0)
  // Whoever looks at the other way comes back to the number that was there.
  const [last, setLast] = useState(signal || 2)

  const choose = (by: string) => {
    setIsBySignal(by === 'signal')
    if (signal !== 0) setLast(signal)
    onChange(withPart(raw, stopCode, by === 'signal' ? last : undefined))
  }
  const number = (typed: string) => {
    const digits = typed.replace(/\D/g, '').slice(0, 2)
    onChange(withPart(raw, stopCode, digits === '' ? undefined : Number(digits)))
  }
  return (
    <PartCard section="shutdown">
      <div className={classes.wide}>
        <SegmentedControl
          size="xs"
          aria-label={t('definition.StopBy')}
          value={isBySignal ? 'signal' : 'command'}
          onChange={choose}
          data={[
            { value: 'command', label: t('definition.StopByCommand') },
            { value: 'signal', label: t('definition.StopBySignal') },
          ]}
        />
      </div>
      {isBySignal ? (
        <Autocomplete
          {...code}
          label={t('definition.Signal')}
          description={t('definition.SignalHow')}
          inputWrapperOrder={fieldOrder}
          inputMode="numeric"
          data={signals}
          filter={({ options }) => options}
          renderOption={({ option }) => t(`definition.Signal_${option.value}`)}
          value={signal === 0 ? '' : String(signal)}
          onChange={number}
        />
      ) : (
        <TextInput
          {...code}
          label={t('definition.StopCommand')}
          description={t('definition.StopCommandHow')}
          inputWrapperOrder={fieldOrder}
          value={textAt(raw, ['run', 'stop'])}
          onChange={(event) => onChange(withTextAt(raw, ['run', 'stop'], event.currentTarget.value))}
        />
      )}
    </PartCard>
  )
}
