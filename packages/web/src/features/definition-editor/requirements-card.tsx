import { TextInput } from '@mantine/core'
import { useText } from '../../i18n/text.tsx'
import { LineInputs } from '../../ui/line-inputs.tsx'
import classes from './definition-editor.module.css'
import { code, fieldOrder, PartCard, type PartProps } from './part.tsx'
import { linesAt, textAt, withPart, withTextAt } from './raw.ts'

/** What a node must have for a server of this kind. */
export function RequirementsCard({ raw, onChange }: PartProps) {
  const text = useText()
  return (
    <PartCard section="requirements">
      {(['os', 'arch'] as const).map((name) => (
        <TextInput
          {...code}
          key={name}
          label={text(`definition.Require_${name}`)}
          description={text(`definition.RequireHow_${name}`)}
          inputWrapperOrder={fieldOrder}
          value={textAt(raw, ['requirements', name])}
          onChange={(event) => onChange(withTextAt(raw, ['requirements', name], event.currentTarget.value))}
        />
      ))}
      <div className={classes.wide}>
        <LineInputs
          label={text('definition.Require_binaries')}
          lines={linesAt(raw, ['requirements', 'binaries'])}
          onChange={(lines) =>
            onChange(withPart(raw, ['requirements', 'binaries'], lines.length === 0 ? undefined : lines))
          }
        />
        <p className={classes.how}>{text('definition.RequireHow_binaries')}</p>
      </div>
    </PartCard>
  )
}
