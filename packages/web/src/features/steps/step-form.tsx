import { isStepType, type Step, type StepType } from '@innkeeper/contract/operations'
import { Autocomplete, PasswordInput, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { StringListInput } from '../../ui/string-list-input.tsx'
import type { StepField } from './step-fields.ts'
import { fieldsOf, flagIn, hasCondition, linesIn, newStep, othersOf, textIn, withText } from './step-rules.ts'
import classes from './steps.module.css'

interface StepFormProps {
  readonly step: Step
  readonly kinds: readonly StepType[]
  /** By the name of the field. */
  readonly problems: ReadonlyMap<string, string>
  /** Types that this person may not choose, each with the reason. */
  readonly withheld: ReadonlyMap<StepType, string>
  readonly onChange: (step: Step) => void
  /** Another type: what the step held is gone. */
  readonly onRetype: (step: Step) => void
}

/** The fields of a step as its type has them. What no field shows stands below as JSON. */
export function StepForm({ step, kinds, problems, withheld, onChange, onRetype }: StepFormProps) {
  const t = useT()
  const others = othersOf(step)
  const types: readonly string[] = kinds
  const offered = types.includes(step.type) ? types : [step.type, ...types]
  const option = (value: string) => {
    if (!isStepType(value)) return { value, label: value }
    const label = t(`steps.Type_${value}`)
    const reason = withheld.get(value)
    return reason === undefined
      ? { value, label }
      : { value, label: t('steps.Withheld', { type: label, reason }), disabled: value !== step.type }
  }
  return (
    <>
      <Select
        label={t('steps.Type')}
        data={offered.map(option)}
        value={step.type}
        searchable
        openOnFocus={false}
        allowDeselect={false}
        error={problems.get('type')}
        onChange={(type) => {
          if (type !== null && type !== step.type && isStepType(type)) onRetype(newStep(type))
        }}
      />
      {fieldsOf(step).map((field) => (
        <Field key={field.name} step={step} field={field} problem={problems.get(field.name)} onChange={onChange} />
      ))}
      {hasCondition(step) && (
        <TextInput
          label={t('steps.Condition')}
          description={t('steps.ConditionHow')}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          classNames={{ input: classes.mono ?? '' }}
          value={textIn(step, 'if')}
          error={problems.get('if')}
          onChange={(event) => onChange(withText(step, { name: 'if', as: 'text' }, event.currentTarget.value))}
        />
      )}
      {Object.keys(others).length > 0 && (
        <div className={classes.others}>
          <p>{t(isStepType(step.type) ? 'steps.Others' : 'steps.UnknownType')}</p>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
          <pre dir="ltr" tabIndex={0}>
            {JSON.stringify(others, null, 2)}
          </pre>
        </div>
      )}
    </>
  )
}

interface FieldProps {
  readonly step: Step
  readonly field: StepField
  readonly problem: string | undefined
  readonly onChange: (step: Step) => void
}

function Field({ step, field, problem, onChange }: FieldProps) {
  const t = useT()
  const { name, as, isRequired = false, otherwise, words = [] } = field
  const label = t(`steps.Field_${name}`)
  const write = (value: string) => onChange(withText(step, field, value))
  const common = {
    label,
    error: problem,
    withAsterisk: isRequired,
    value: textIn(step, name),
    dir: 'ltr' as const,
    spellCheck: false,
    autoComplete: 'off',
    classNames: { input: classes.mono ?? '' },
    ...(typeof otherwise === 'string' ? { placeholder: otherwise } : {}),
  }
  if (as === 'lines')
    return (
      <StringListInput
        label={label}
        isRequired={isRequired}
        values={linesIn(step, field)}
        error={problem}
        onChange={(lines) => onChange({ ...step, [name]: lines })}
      />
    )
  if (as === 'flag')
    return (
      <Switch
        label={label}
        checked={flagIn(step, field)}
        onChange={(event) => onChange({ ...step, [name]: event.currentTarget.checked })}
      />
    )
  if (as === 'choice') {
    const value = common.value || (typeof otherwise === 'string' ? otherwise : '')
    const data = value === '' || words.includes(value) ? words : [value, ...words]
    const nameOf = (word: string) => (field.isNamed && words.includes(word) ? t(`steps.Word_${word || 'none'}`) : word)
    return (
      <Select
        label={label}
        error={problem}
        withAsterisk={isRequired}
        data={data.map((word) => ({ value: word, label: nameOf(word) }))}
        value={value === '' && !words.includes('') ? null : value}
        allowDeselect={false}
        onChange={(word) => {
          if (word !== null) write(word)
        }}
      />
    )
  }
  if (as === 'long')
    return (
      <Textarea {...common} autosize minRows={3} maxRows={16} onChange={(event) => write(event.currentTarget.value)} />
    )
  if (field.isSecret)
    return (
      <PasswordInput {...common} autoComplete="new-password" onChange={(event) => write(event.currentTarget.value)} />
    )
  if (words.length > 0)
    return <Autocomplete {...common} data={[...words]} filter={({ options }) => options} onChange={write} />
  return <TextInput {...common} onChange={(event) => write(event.currentTarget.value)} />
}
