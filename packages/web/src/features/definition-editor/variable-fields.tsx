import { booleanForms, type VariableType, variableTypes } from '@innkeeper/contract/definitions/variables'
import { hasLineBreak } from '@innkeeper/contract/text/escape'
import { patternProblem } from '@innkeeper/contract/text/pattern'
import { ActionIcon, Fieldset, Group, Input, Select, Stack, Switch, Textarea, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { AddButton } from '../../ui/layout/add-button.tsx'
import type { VariableDraft } from './draft.ts'
import { getLines, getText, type JsonObject, setIn, setText, toBoolean, toText } from './json-path.ts'
import { FieldRow } from './section-card.tsx'
import {
  getOptions,
  getType,
  isNumberText,
  isOn,
  selectOption,
  setBoolean,
  setForm,
  setType,
  setValue,
  updateOption,
} from './variables.ts'

export interface VariableFieldsProps {
  readonly row: VariableDraft
  readonly nameError: string | undefined
  readonly valueError: string | undefined
  readonly onChange: (changes: Partial<VariableDraft>) => void
}

const flags = [
  { flag: 'required', label: 'definition.Required' },
  { flag: 'userEdit', label: 'definition.UserEdit' },
  { flag: 'userView', label: 'definition.UserView' },
  { flag: 'internal', label: 'definition.Internal' },
] as const

const multiline = { flag: 'multiline', label: 'definition.Multiline' } as const

/** The form of one variable. */
export function VariableFields({ row, nameError, valueError, onChange }: VariableFieldsProps) {
  const t = useT()
  const { name, variable } = row
  // An empty name is an error only after the first blur.
  const [isTouched, setIsTouched] = useState(name !== '')
  const update = (next: JsonObject) => onChange({ variable: next })
  const type = getType(variable)
  const emptyNameError = isTouched && name.trim() === '' ? t('errors.ErrVariableName') : undefined
  return (
    <Stack gap="md">
      <FieldRow>
        <TextInput
          {...codeInputProps}
          label={t('common.Name')}
          withAsterisk
          value={name}
          error={nameError ?? emptyNameError}
          onBlur={() => setIsTouched(true)}
          onChange={(event) => onChange({ name: event.currentTarget.value })}
        />
        <TextInput
          label={t('common.DisplayName')}
          value={getText(variable, ['display'])}
          onChange={(event) => update(setIn(variable, ['display'], event.currentTarget.value))}
        />
        <Select
          label={t('common.Type')}
          data={variableTypes.map((value) => ({ value, label: t(`definition.VariableType_${value}`) }))}
          value={type}
          onChange={(next) => update(setType(variable, (next ?? 'string') as VariableType))}
        />
        <ValueField variable={variable} error={valueError} onChange={update} />
      </FieldRow>
      <TextInput
        label={t('common.Description')}
        value={getText(variable, ['desc'])}
        onChange={(event) => update(setIn(variable, ['desc'], event.currentTarget.value))}
      />
      <Group gap="lg" align="flex-start">
        {(type === 'string' ? [...flags, multiline] : flags).map(({ flag, label }) => (
          <Switch
            key={flag}
            label={t(label)}
            description={flag === 'internal' && t('definition.InternalHelp')}
            checked={toBoolean(variable[flag])}
            onChange={(event) => update(setIn(variable, [flag], event.currentTarget.checked))}
          />
        ))}
      </Group>
      {(type === 'integer' || type === 'number') && (
        <NumberFields type={type} names={['min', 'max']} variable={variable} onChange={update} />
      )}
      {(type === 'string' || type === 'path') && (
        <>
          <NumberFields type="integer" names={['minLength', 'maxLength']} variable={variable} onChange={update} />
          <PatternField variable={variable} onChange={update} />
          <TextInput
            {...codeInputProps}
            label={t('definition.ForbiddenCharacters')}
            description={t('definition.ForbiddenCharactersHelp')}
            value={getText(variable, ['forbiddenCharacters'])}
            onChange={(event) => update(setText(variable, ['forbiddenCharacters'], event.currentTarget.value))}
          />
        </>
      )}
      {type === 'boolean' && <FormFields variable={variable} onChange={update} />}
      {type === 'option' && <Options variable={variable} onChange={update} />}
    </Stack>
  )
}

interface FieldProps {
  readonly variable: JsonObject
  readonly onChange: (variable: JsonObject) => void
}

interface NumberFieldsProps extends FieldProps {
  readonly type: 'integer' | 'number'
  readonly names: readonly ('min' | 'max' | 'minLength' | 'maxLength')[]
}

/** The limits of a variable: a number each, or nothing. */
function NumberFields({ type, names, variable, onChange }: NumberFieldsProps) {
  const t = useT()
  const invalid = type === 'integer' ? 'errors.ErrFieldNotWhole' : 'errors.ErrFieldNotNumber'
  return (
    <FieldRow>
      {names.map((name) => {
        const label = t(`definition.Range_${name}`)
        const text = getText(variable, [name])
        return (
          <TextInput
            key={name}
            {...codeInputProps}
            label={label}
            inputMode={type === 'integer' ? 'numeric' : 'decimal'}
            value={text}
            error={text === '' || isNumberText(type, text) ? undefined : t(invalid, { field: label })}
            onChange={({ currentTarget: { value } }) =>
              onChange(
                setIn(variable, [name], value === '' ? undefined : isNumberText(type, value) ? Number(value) : value),
              )
            }
          />
        )
      })}
    </FieldRow>
  )
}

/** Several patterns are shown one per line. */
function PatternField({ variable, onChange }: FieldProps) {
  const t = useT()
  const lines = getLines(variable, ['pattern'])
  const problem = lines.map(patternProblem).find((reason) => reason !== undefined)
  return (
    <Textarea
      {...codeInputProps}
      label={t('definition.Pattern')}
      description={t('definition.PatternHelp')}
      autosize
      value={lines.join('\n')}
      error={problem === undefined ? undefined : t('common.InvalidPattern', { reason: problem })}
      onChange={({ currentTarget: { value } }) => {
        const changed = value.split('\n')
        onChange(setIn(variable, ['pattern'], changed.length > 1 ? changed : value || undefined))
      }}
    />
  )
}

const defaults = booleanForms({})

/** How a boolean is written; empty for `true` and `false`. */
function FormFields({ variable, onChange }: FieldProps) {
  const t = useT()
  return (
    <FieldRow>
      {(['trueValue', 'falseValue'] as const).map((form) => (
        <TextInput
          key={form}
          {...codeInputProps}
          label={t(`definition.Form_${form}`)}
          placeholder={form === 'trueValue' ? defaults.on : defaults.off}
          value={getText(variable, [form])}
          onChange={(event) => onChange(setForm(variable, form, event.currentTarget.value))}
        />
      ))}
    </FieldRow>
  )
}

function ValueField({ variable, error, onChange }: FieldProps & { readonly error: string | undefined }) {
  const t = useT()
  const label = t('definition.Default')
  const type = getType(variable)
  const value = toText(variable.value)
  const options = getOptions(variable)
  // A textarea does not turn into an input while the user edits it.
  const [hadLineBreak] = useState(() => hasLineBreak(value))
  if (type === 'boolean')
    return (
      <Input.Wrapper label={label} labelElement="div">
        <Switch
          mt="xs"
          aria-label={label}
          label={t(isOn(variable) ? 'common.On' : 'common.Off')}
          checked={isOn(variable)}
          onChange={(event) => onChange(setBoolean(variable, event.currentTarget.checked))}
        />
      </Input.Wrapper>
    )
  if (type === 'option' && options.length > 0) {
    const labels = new Map(options.toReversed().map((option) => [option.value, option.display || option.value]))
    const data = [...labels].toReversed().map(([value, text]) => ({ value, label: text }))
    const isKnown = value === '' || labels.has(value)
    return (
      <Select
        label={label}
        error={error}
        data={isKnown ? data : [...data, { value, label: value }]}
        value={value === '' && !labels.has(value) ? null : value}
        onChange={(next) => onChange(selectOption(variable, next ?? ''))}
      />
    )
  }
  if (type === 'string' && (toBoolean(variable.multiline) || hadLineBreak))
    return (
      <Textarea
        {...codeInputProps}
        label={label}
        autosize
        minRows={2}
        maxRows={12}
        value={value}
        error={error}
        onChange={(event) => onChange(setValue(variable, event.currentTarget.value))}
      />
    )
  return (
    <TextInput
      {...codeInputProps}
      label={label}
      inputMode={type === 'integer' ? 'numeric' : type === 'number' ? 'decimal' : 'text'}
      value={value}
      error={error}
      onChange={(event) => onChange(setValue(variable, event.currentTarget.value))}
    />
  )
}

function Options({ variable, onChange }: FieldProps) {
  const t = useT()
  const rows = getOptions(variable)
  const options: unknown[] = Array.isArray(variable.options) ? variable.options : []
  return (
    <Fieldset variant="unstyled" mx={0} legend={t('definition.Options')}>
      <Stack gap="xs" align="flex-start">
        {rows.map(({ value, display }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: an option is identified by its position
          <Group key={index} gap="xs" align="flex-start" wrap="nowrap" w="100%">
            <TextInput
              {...codeInputProps}
              flex={2}
              aria-label={t('definition.OptionValue', { number: index + 1 })}
              placeholder={t('definition.Value')}
              value={value}
              onChange={(event) => onChange(updateOption(variable, index, { value: event.currentTarget.value }))}
            />
            <TextInput
              flex={3}
              aria-label={t('definition.OptionDisplay', { number: index + 1 })}
              placeholder={t('common.DisplayName')}
              value={display}
              onChange={(event) => onChange(updateOption(variable, index, { display: event.currentTarget.value }))}
            />
            <ActionIcon
              mt="3xs"
              aria-label={t('definition.RemoveOption', { number: index + 1 })}
              onClick={() => onChange({ ...variable, options: options.toSpliced(index, 1) })}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        <AddButton
          isCompact
          onClick={() => onChange({ ...variable, options: [...options, { value: '', display: '' }] })}
        >
          {t('definition.AddOption')}
        </AddButton>
      </Stack>
    </Fieldset>
  )
}
