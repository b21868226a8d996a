import { isLimitVariable, type LimitName, limitNames } from '@innkeeper/contract/definitions/definition'
import type { NodeIsolation } from '@innkeeper/contract/nodes/nodes'
import { CloseButton, NumberInput, TextInput } from '@mantine/core'
import { type TFunction, type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../fields/code-input.ts'
import { missingReason } from '../text/missing-reason.ts'
import type { LimitsForm } from './limits-form.ts'

const fields: Readonly<Record<LimitName, { label: TranslationKey; max: number }>> = {
  memory: { label: 'server.LimitMemory', max: 16_777_216 },
  cpu: { label: 'server.LimitCpu', max: 100_000 },
  processes: { label: 'server.LimitProcesses', max: 4_194_304 },
  disk: { label: 'definition.LimitDisk', max: 1_073_741_824 },
}

interface LimitsFieldsProps {
  readonly form: LimitsForm
  /** Which limits the node enforces; `undefined` when unknown. */
  readonly isolation: NodeIsolation | undefined
  /** Docker enforces the limits of containers, except that of disk space. */
  readonly isContainer?: boolean
  readonly onChange: (form: LimitsForm) => void
}

/** Inputs for the limits of a server; each shows whether its node enforces it. */
export function LimitsFields({ form, isolation, isContainer = false, onChange }: LimitsFieldsProps) {
  const t = useT()
  return (
    <>
      {limitNames.map((name) => {
        const value = form[name]
        if (isLimitVariable(value))
          return (
            <TextInput
              key={name}
              {...codeInputProps}
              label={t(fields[name].label)}
              value={value}
              rightSection={
                <CloseButton
                  size="sm"
                  aria-label={t('common.RemoveNamed', { name: t(fields[name].label) })}
                  onClick={() => onChange({ ...form, [name]: '' })}
                />
              }
              readOnly
            />
          )
        return (
          <NumberInput
            key={name}
            label={t(fields[name].label)}
            description={isContainer && name !== 'disk' ? undefined : enforcementText(t, isolation, name)}
            placeholder={t(name === 'processes' ? 'server.LimitProcessesDefault' : 'server.LimitUnlimited')}
            min={1}
            max={fields[name].max}
            allowDecimal={false}
            allowNegative={false}
            clampBehavior="strict"
            value={value}
            onChange={(changed) => onChange({ ...form, [name]: typeof changed === 'number' ? changed : '' })}
          />
        )
      })}
    </>
  )
}

/** The limits that are set, as labels and values. */
export function limitRows(t: TFunction, form: LimitsForm): readonly (readonly [name: string, limit: string])[] {
  return limitNames
    .filter((name) => form[name] !== '')
    .map((name) => [t(fields[name].label), String(form[name])] as const)
}

function enforcementText(t: TFunction, isolation: NodeIsolation | undefined, name: LimitName): string | undefined {
  const ability = isolation?.limits[name]
  if (!ability) return undefined
  return ability.enforced
    ? t('server.LimitEnforced')
    : t('server.LimitNotEnforced', { reason: missingReason(t, ability) })
}
