import { booleanOf, isMultiline, textOf, typeOf, type Variable } from '@innkeeper/contract/variables'
import { Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { Description } from './description.tsx'
import classes from './variables.module.css'

interface VariableFieldProps {
  readonly name: string
  readonly variable: Variable
  /** As text. */
  readonly value: string
  readonly problem: string | undefined
  readonly onChange: (text: string) => void
  readonly onLeave?: () => void
}

type Part = 'label' | 'input' | 'error' | 'description'

/** A text as long as this gets a line of its own. */
const longText = 40

/** One variable in the field that fits its type. What is wrong with it stands in the place of what describes it. */
export function VariableField({ name, variable, value, problem, onChange, onLeave }: VariableFieldProps) {
  const t = useT()
  const type = typeOf(variable)
  const label = variable.display || name
  const own = { 'data-path': name }
  const description = variable.desc ? <Description markup={variable.desc} /> : undefined
  if (type === 'boolean') {
    return (
      <div className={classes.switch}>
        <Switch
          {...own}
          label={label}
          description={problem ? undefined : description}
          error={problem}
          checked={booleanOf(value) ?? false}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      </div>
    )
  }
  const shared = {
    ...own,
    label,
    description,
    error: problem,
    required: variable.required === true,
    inputWrapperOrder: ['label', 'input', problem ? 'error' : 'description'] as Part[],
    ...(onLeave && { onBlur: onLeave }),
  }
  if (type === 'option') {
    const options = (variable.options ?? []).map((option) => ({
      value: textOf(option.value),
      label: option.display || textOf(option.value),
    }))
    const offered = options.filter((one, index) => options.findIndex((other) => other.value === one.value) === index)
    const isKnown = value === '' || offered.some((option) => option.value === value)
    return (
      <Select
        {...shared}
        data={isKnown ? offered : [...offered, { value, label: value }]}
        value={value}
        placeholder={t('server.SettingsChoose')}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable={variable.required !== true}
        clearButtonProps={{ 'aria-label': t('server.SettingsClear', { name: label }) }}
        searchable={offered.length > 10}
      />
    )
  }
  if (type === 'string' && isMultiline(variable)) {
    return (
      <Textarea
        {...shared}
        className={classes.wide}
        classNames={{ input: classes.mono ?? '' }}
        autosize
        minRows={2}
        maxRows={12}
        dir="auto"
        autoComplete="off"
        spellCheck={false}
        value={value}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  const isLong = type === 'string' && textOf(variable.value).length > longText
  return (
    <TextInput
      {...shared}
      className={isLong ? classes.wide : undefined}
      classNames={isLong ? { input: classes.mono ?? '' } : {}}
      inputMode={type === 'integer' ? 'numeric' : 'text'}
      dir={type === 'integer' ? 'ltr' : 'auto'}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
