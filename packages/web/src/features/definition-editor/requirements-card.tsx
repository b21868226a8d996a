import { TextInput } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { StringListInput } from '../../ui/string-list-input.tsx'
import classes from './definition-editor.module.css'
import { code, fieldOrder, PartCard, type PartProps } from './part.tsx'
import { linesAt, textAt, withPart, withTextAt } from './raw.ts'

/** What a node must have for a server of this kind. */
export function RequirementsCard({ raw, onChange }: PartProps) {
  const t = useT()
  return (
    <PartCard section="requirements">
      {(['os', 'arch'] as const).map((name) => (
        <TextInput
          {...code}
          key={name}
          label={t(`definition.Require_${name}`)}
          description={t(`definition.RequireHow_${name}`)}
          inputWrapperOrder={fieldOrder}
          value={textAt(raw, ['requirements', name])}
          onChange={(event) => onChange(withTextAt(raw, ['requirements', name], event.currentTarget.value))}
        />
      ))}
      <div className={classes.wide}>
        <StringListInput
          label={t('definition.Require_binaries')}
          values={linesAt(raw, ['requirements', 'binaries'])}
          onChange={(lines) =>
            onChange(withPart(raw, ['requirements', 'binaries'], lines.length === 0 ? undefined : lines))
          }
        />
        <p className={classes.how}>{t('definition.RequireHow_binaries')}</p>
      </div>
    </PartCard>
  )
}
