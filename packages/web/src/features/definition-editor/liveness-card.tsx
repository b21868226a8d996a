import {
  type LivenessCheckType,
  livenessCheckTypes,
  livenessRanges,
  maxLivenessChecks,
} from '@innkeeper/contract/definitions/liveness'
import { ActionIcon, Fieldset, Group, NumberInput, type NumberInputProps, Select, Stack, Text } from '@mantine/core'
import { IconTrash } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { useRowIds } from '../../ui/lists/row-ids.ts'
import { getLivenessChecks, setLivenessChecks } from './draft.ts'
import { getIn, getText, type JsonObject, type Path, setIn } from './json-path.ts'
import { FieldRow, PathInput, SectionCard, type SectionProps } from './section-card.tsx'
import { getFieldIssueMessage, type ValidationIssue } from './validation.ts'

interface LivenessCardProps extends SectionProps {
  readonly issues: readonly ValidationIssue[]
}

/** What shows that a running server responds. */
export function LivenessCard({ raw, onChange, issues }: LivenessCardProps) {
  const t = useT()
  const checks = getLivenessChecks(raw)
  const { ids, keepIds } = useRowIds(checks)
  const update = (next: readonly JsonObject[], nextIds: readonly (number | undefined)[]) => {
    keepIds(next, nextIds)
    onChange(setLivenessChecks(raw, next))
  }
  return (
    <SectionCard section="liveness">
      <Text c="dimmed">{t('definition.LivenessHelp')}</Text>
      {checks.map((check, index) => (
        <CheckRow
          key={ids[index]}
          number={index + 1}
          raw={check}
          issues={issues}
          onChange={(next) => update(checks.with(index, next), ids)}
          onRemove={() => update(checks.toSpliced(index, 1), ids.toSpliced(index, 1))}
        />
      ))}
      {checks.length < maxLivenessChecks && (
        <AddButton onClick={() => update([...checks, { type: newCheckType(raw) }], [...ids, undefined])}>
          {t('definition.AddCheck')}
        </AddButton>
      )}
      {checks.length > 0 && (
        <>
          <FieldRow>
            {(['interval', 'timeout', 'failures'] as const).map((name) => (
              <PathNumberInput
                key={name}
                raw={raw}
                onChange={onChange}
                path={['liveness', name]}
                label={t(`definition.Liveness_${name}`)}
                description={t(`definition.LivenessHelp_${name}`)}
                range={livenessRanges[name]}
              />
            ))}
          </FieldRow>
          <Saving raw={raw} onChange={onChange} issues={issues} />
        </>
      )}
    </SectionCard>
  )
}

/** The type of a check that is added: a query where the game is asked. */
const newCheckType = (raw: JsonObject): LivenessCheckType =>
  getText(raw, ['query', 'type']) === '' ? 'command' : 'query'

interface CheckRowProps extends LivenessCardProps {
  readonly number: number
  readonly onRemove: () => void
}

function CheckRow({ number, raw, issues, onChange, onRemove }: CheckRowProps) {
  const t = useT()
  const type = getText(raw, ['type'])
  const known = livenessCheckTypes.map((value) => ({ value, label: t(`definition.Check_${value}`) }))
  const isKnown = livenessCheckTypes.some((value) => value === type)
  const path = `liveness.checks.${number - 1}`
  const hasNoQuery = type === 'query' && issues.some((issue) => issue.path === `${path}.type`)
  const within = t('definition.Check_seconds')
  return (
    <Fieldset variant="unstyled" mx={0} miw={0} legend={t('definition.CheckNumber', { number })}>
      <Stack gap="sm">
        <Group gap="xs" wrap="nowrap" align="flex-start">
          <Select
            flex={1}
            miw={0}
            aria-label={t('definition.CheckNumber', { number })}
            data={isKnown ? known : [...known, type]}
            value={type}
            allowDeselect={false}
            error={hasNoQuery && t('definition.CheckNeedsQuery')}
            onChange={(value) => onChange({ type: value ?? type })}
          />
          <ActionIcon aria-label={t('definition.RemoveCheck', { number })} onClick={onRemove}>
            <IconTrash size={16} aria-hidden />
          </ActionIcon>
        </Group>
        {type === 'command' && (
          <FieldRow>
            {(['command', 'pattern'] as const).map((name) => {
              const label = t(`definition.Check_${name}Field`)
              const value = getText(raw, [name])
              return (
                <PathInput
                  key={name}
                  raw={raw}
                  onChange={onChange}
                  path={[name]}
                  label={label}
                  description={t(`definition.CheckHelp_${name}`)}
                  error={getFieldIssueMessage(t, issues, { path: `${path}.${name}`, label, value })}
                />
              )
            })}
          </FieldRow>
        )}
        {type === 'output' && (
          <PathNumberInput
            raw={raw}
            onChange={onChange}
            path={['within']}
            label={within}
            range={livenessRanges.within}
            error={getFieldIssueMessage(t, issues, {
              path: `${path}.within`,
              label: within,
              value: getText(raw, ['within']),
            })}
          />
        )}
      </Stack>
    </Fieldset>
  )
}

/** A save, during which the server need not respond. */
function Saving({ raw, onChange, issues }: LivenessCardProps) {
  const t = useT()
  const parent: Path = ['liveness', 'saving']
  const change = (next: JsonObject) => {
    const saving = getIn(next, parent)
    const isEmpty = JSON.stringify(saving) === '{}'
    onChange(isEmpty ? setIn(next, parent, undefined) : next)
  }
  const getError = (name: string, label: string) =>
    getFieldIssueMessage(t, issues, {
      path: [...parent, name].join('.'),
      label,
      value: getText(raw, [...parent, name]),
    })
  return (
    <Fieldset variant="unstyled" mx={0} miw={0} legend={t('definition.Saving')}>
      <FieldRow>
        {(['command', 'pattern'] as const).map((name) => (
          <PathInput
            key={name}
            raw={raw}
            onChange={change}
            path={[...parent, name]}
            label={t(`definition.Saving_${name}`)}
            description={t(`definition.SavingHelp_${name}`)}
            error={getError(name, t(`definition.Saving_${name}`))}
          />
        ))}
        <PathNumberInput
          raw={raw}
          onChange={change}
          path={[...parent, 'seconds']}
          label={t('definition.Saving_seconds')}
          description={t('definition.SavingHelp_seconds')}
          range={livenessRanges.saving}
          error={getError('seconds', t('definition.Saving_seconds'))}
        />
      </FieldRow>
    </Fieldset>
  )
}

interface PathNumberInputProps extends SectionProps, Omit<NumberInputProps, 'value' | 'onChange' | 'min' | 'max'> {
  readonly path: Path
  readonly range: { readonly min: number; readonly max: number; readonly default?: number }
}

/** An optional whole number of the definition. An empty text removes the field. */
function PathNumberInput({ raw, onChange, path, range, ...rest }: PathNumberInputProps) {
  return (
    <NumberInput
      {...rest}
      {...(range.default !== undefined && { placeholder: String(range.default) })}
      min={range.min}
      max={range.max}
      allowDecimal={false}
      maw={{ sm: '24rem' }}
      value={Number(getIn(raw, path)) || ''}
      onChange={(number) => onChange(setIn(raw, path, number === '' ? undefined : Number(number)))}
    />
  )
}
