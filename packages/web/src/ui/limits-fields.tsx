import type { NodeIsolation } from '@innkeeper/contract/nodes'
import { NumberInput } from '@mantine/core'
import { type TFunction, useT } from '../i18n/i18n.tsx'
import { type LimitName, type LimitsForm, limitNames } from './limits-form.ts'

const fields: Readonly<Record<LimitName, { label: string; suffix: string; most: number }>> = {
  memory: { label: 'server.LimitMemory', suffix: ' MiB', most: 16_777_216 },
  cpu: { label: 'server.LimitCpu', suffix: ' %', most: 100_000 },
  processes: { label: 'server.LimitProcesses', suffix: '', most: 4_194_304 },
}

interface LimitsFieldsProps {
  readonly form: LimitsForm
  /** What the node holds servers to; `undefined` where nobody knows, or where an engine does that. */
  readonly isolation: NodeIsolation | undefined
  readonly disabled?: boolean
  readonly onChange: (form: LimitsForm) => void
}

/** What a server may use at most, and which of it its node really holds it to. */
export function LimitsFields({ form, isolation, disabled = false, onChange }: LimitsFieldsProps) {
  const t = useT()
  return (
    <>
      {limitNames.map((name) => (
        <NumberInput
          key={name}
          label={t(fields[name].label)}
          description={heldText(t, isolation, name)}
          placeholder={t(name === 'processes' ? 'server.LimitOrdinary' : 'server.LimitNone')}
          suffix={fields[name].suffix}
          min={1}
          max={fields[name].most}
          allowDecimal={false}
          allowNegative={false}
          clampBehavior="strict"
          disabled={disabled}
          value={form[name]}
          onChange={(value) => onChange({ ...form, [name]: typeof value === 'number' ? value : '' })}
        />
      ))}
    </>
  )
}

/** The limits of a form as people read them: those that there are. */
export function limitRows(t: TFunction, form: LimitsForm): readonly (readonly [name: string, limit: string])[] {
  return limitNames
    .filter((name) => form[name] !== '')
    .map((name) => [t(fields[name].label), `${form[name]}${fields[name].suffix}`] as const)
}

function heldText(t: TFunction, isolation: NodeIsolation | undefined, name: LimitName): string | undefined {
  const ability = isolation?.limits[name]
  if (!ability) return undefined
  return ability.enforced ? t('server.LimitHeld') : t('server.LimitNotHeld', { reason: ability.reason ?? '' })
}
