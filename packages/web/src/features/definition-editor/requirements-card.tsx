import { useT } from '../../i18n/i18n.tsx'
import { StringListInput } from '../../ui/fields/string-list-input.tsx'
import { getLines, setIn } from './json-path.ts'
import { PathInput } from './path-input.tsx'
import { FieldRow, SectionCard, type SectionProps } from './section-card.tsx'

/** What a node needs to run the server. */
export function RequirementsCard({ raw, onChange }: SectionProps) {
  const t = useT()
  return (
    <SectionCard section="requirements">
      <FieldRow>
        {(['os', 'arch'] as const).map((name) => (
          <PathInput
            raw={raw}
            onChange={onChange}
            path={['requirements', name]}
            key={name}
            label={t(`definition.Require_${name}`)}
            description={t(`definition.RequireHelp_${name}`)}
          />
        ))}
      </FieldRow>
      <StringListInput
        label={t('definition.Require_binaries')}
        description={t('definition.RequireHelp_binaries')}
        values={getLines(raw, ['requirements', 'binaries'])}
        onChange={(lines) => onChange(setIn(raw, ['requirements', 'binaries'], lines.length === 0 ? undefined : lines))}
      />
    </SectionCard>
  )
}
