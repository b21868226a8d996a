import { Autocomplete, SegmentedControl, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useText } from '../../i18n/text.tsx'
import classes from './definition-editor.module.css'
import { code, fieldOrder, PartCard, type PartProps } from './part.tsx'
import { partAt, textAt, withPart, withTextAt } from './raw.ts'

const stopCode = ['run', 'stopCode']
/** Those that programs understand: hang up, interrupt, quit, abort, kill, terminate. */
const signals = ['1', '2', '3', '6', '9', '15']

/** How the server is asked to stop. A signal wins over a command. */
export function ShutdownCard({ raw, onChange }: PartProps) {
  const text = useText()
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
          aria-label={text('definition.StopBy')}
          value={isBySignal ? 'signal' : 'command'}
          onChange={choose}
          data={[
            { value: 'command', label: text('definition.StopByCommand') },
            { value: 'signal', label: text('definition.StopBySignal') },
          ]}
        />
      </div>
      {isBySignal ? (
        <Autocomplete
          {...code}
          label={text('definition.Signal')}
          description={text('definition.SignalHow')}
          inputWrapperOrder={fieldOrder}
          inputMode="numeric"
          data={signals}
          filter={({ options }) => options}
          renderOption={({ option }) => text(`definition.Signal_${option.value}`)}
          value={signal === 0 ? '' : String(signal)}
          onChange={number}
        />
      ) : (
        <TextInput
          {...code}
          label={text('definition.StopCommand')}
          description={text('definition.StopCommandHow')}
          inputWrapperOrder={fieldOrder}
          value={textAt(raw, ['run', 'stop'])}
          onChange={(event) => onChange(withTextAt(raw, ['run', 'stop'], event.currentTarget.value))}
        />
      )}
    </PartCard>
  )
}
