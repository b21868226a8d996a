import { getText, getVariableType, isMultiline, isOn, type Variable } from '@innkeeper/contract/definitions/variables'
import { Select, Switch, Textarea, TextInput } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { variableLabel } from '../../ui/names/variable-label.ts'
import { Description } from './description.tsx'
import { booleanText } from './parse-value.ts'
import classes from './variables.module.css'

interface VariableFieldProps {
  readonly name: string
  readonly variable: Variable
  /** As text. */
  readonly value: string
  readonly error: string | undefined
  /** The user may see the value but not change it. */
  readonly isReadOnly?: boolean
  readonly onChange: (text: string) => void
  readonly onBlur?: () => void
}

/** Texts of this length get a full row. */
const longTextLength = 40

/** The input of one variable. An error replaces the description. */
export function VariableField({
  name,
  variable,
  value,
  error,
  isReadOnly = false,
  onChange,
  onBlur,
}: VariableFieldProps) {
  const t = useT()
  const type = getVariableType(variable)
  const label = variableLabel(t, name, variable)
  const description = variable.desc && !error ? <Description markup={variable.desc} /> : undefined
  const shared = { 'data-path': name, label, description, error }
  if (type === 'boolean') {
    return (
      <div className={classes.wide}>
        <Switch
          {...shared}
          disabled={isReadOnly}
          checked={isOn(variable, value) ?? false}
          onChange={(event) => onChange(booleanText(variable, event.currentTarget.checked))}
        />
      </div>
    )
  }
  const inputProps = { ...shared, required: variable.required === true && !isReadOnly, readOnly: isReadOnly, onBlur }
  const isNumber = type === 'integer' || type === 'number'
  if (type === 'option') {
    const labels = new Map<string, string>()
    for (const option of variable.options ?? []) {
      const text = getText(option.value)
      if (!labels.has(text)) labels.set(text, option.display || text)
    }
    if (value !== '' && !labels.has(value)) labels.set(value, value)
    return (
      <Select
        {...inputProps}
        data={[...labels].map(([text, optionLabel]) => ({ value: text, label: optionLabel }))}
        value={value}
        placeholder={t('server.SettingsChoose')}
        onChange={(selected) => onChange(selected ?? '')}
        clearable={variable.required !== true && !isReadOnly}
        clearButtonProps={{ 'aria-label': t('server.SettingsClear', { name: label }) }}
        searchable={labels.size > 10}
      />
    )
  }
  const textProps = {
    ...inputProps,
    dir: isNumber || type === 'path' ? 'ltr' : 'auto',
    autoComplete: 'off',
    spellCheck: false,
    value,
  } as const
  const codeProps = { className: classes.wide, classNames: codeInputProps.classNames }
  if (type === 'string' && isMultiline(variable)) {
    return (
      <Textarea
        {...textProps}
        {...codeProps}
        autosize
        minRows={2}
        maxRows={12}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    )
  }
  const isLong = !isNumber && getText(variable.value).length > longTextLength
  return (
    <TextInput
      {...textProps}
      {...(isLong && codeProps)}
      inputMode={type === 'integer' ? 'numeric' : isNumber ? 'decimal' : 'text'}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
