import { hasLineBreak } from '@innkeeper/contract/escape'
import { type VariableType, variableTypes } from '@innkeeper/contract/variables'
import { ActionIcon, Button, Select, Switch, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './definition-editor.module.css'
import type { VariableRow } from './draft.ts'
import { code } from './part.tsx'
import { flagOf, isWhole, type Raw, textAt, textOfAny, withPart, withTextAt } from './raw.ts'
import { chosen, isOn, ofType, optionsIn, switchedTo, typeIn, withOption, withValue } from './variables.ts'

interface VariableFieldsProps {
  readonly row: VariableRow
  readonly problem: string | undefined
  readonly valueProblem: string | undefined
  readonly onChange: (changed: Partial<VariableRow>) => void
}

const flags = [
  { flag: 'required', label: 'definition.Required' },
  { flag: 'userEdit', label: 'definition.UserEdit' },
  { flag: 'internal', label: 'definition.Internal' },
] as const

const multiline = { flag: 'multiline', label: 'definition.Multiline' } as const

/** The fields of one variable. */
export function VariableFields({ row, problem, valueProblem, onChange }: VariableFieldsProps) {
  const t = useT()
  const { name, variable } = row
  // A name is held against nobody before it was left.
  const [wasLeft, setWasLeft] = useState(name !== '')
  const put = (next: Raw) => onChange({ variable: next })
  const isText = typeIn(variable) === 'string'
  const nameless = wasLeft && name.trim() === '' ? t('definition.VariableNameRule') : undefined
  return (
    <>
      <TextInput
        {...code}
        label={t('definition.VariableName')}
        withAsterisk
        value={name}
        error={problem ?? nameless}
        onBlur={() => setWasLeft(true)}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
      />
      <TextInput
        label={t('definition.VariableDisplay')}
        value={textAt(variable, ['display'])}
        onChange={(event) => put(withPart(variable, ['display'], event.currentTarget.value))}
      />
      <Select
        label={t('definition.VariableType')}
        data={variableTypes.map((type) => ({ value: type, label: t(`definition.VariableType_${type}`) }))}
        value={typeIn(variable)}
        allowDeselect={false}
        onChange={(type) => put(ofType(variable, (type ?? 'string') as VariableType))}
      />
      <ValueField variable={variable} problem={valueProblem} onChange={put} />
      <TextInput
        className={classes.wide ?? ''}
        label={t('definition.VariableDesc')}
        value={textAt(variable, ['desc'])}
        onChange={(event) => put(withPart(variable, ['desc'], event.currentTarget.value))}
      />
      <div className={`${classes.switches} ${classes.wide}`}>
        {(isText ? [...flags, multiline] : flags).map(({ flag, label }) => (
          <Switch
            key={flag}
            label={t(label)}
            checked={flagOf(variable[flag])}
            onChange={(event) => put(withPart(variable, [flag], event.currentTarget.checked))}
          />
        ))}
      </div>
      {typeIn(variable) === 'integer' &&
        (['min', 'max'] as const).map((end) => {
          const label = t(`definition.Range_${end}`)
          const typed = textAt(variable, [end])
          return (
            <TextInput
              key={end}
              {...code}
              label={label}
              inputMode="numeric"
              value={typed}
              error={typed === '' || isWhole(typed) ? undefined : t('errors.ErrFieldNotWhole', { field: label })}
              onChange={({ currentTarget: { value } }) =>
                put(withPart(variable, [end], value === '' ? undefined : isWhole(value) ? Number(value) : value))
              }
            />
          )
        })}
      {isText && (
        <TextInput
          {...code}
          className={classes.wide ?? ''}
          label={t('definition.ForbiddenCharacters')}
          description={t('definition.ForbiddenCharactersHow')}
          value={textAt(variable, ['forbiddenCharacters'])}
          onChange={(event) => put(withTextAt(variable, ['forbiddenCharacters'], event.currentTarget.value))}
        />
      )}
      {typeIn(variable) === 'option' && <Options variable={variable} onChange={put} />}
    </>
  )
}

interface ValueProps {
  readonly variable: Raw
  readonly onChange: (variable: Raw) => void
}

function ValueField({ variable, problem, onChange }: ValueProps & { readonly problem: string | undefined }) {
  const t = useT()
  const label = t('definition.Default')
  const value = textOfAny(variable.value)
  const options = optionsIn(variable)
  // The field stays what it is while somebody types in it.
  const [hadLines] = useState(() => hasLineBreak(value))
  if (typeIn(variable) === 'boolean')
    return (
      <div>
        <span className={classes.label}>{label}</span>
        <Switch
          className={classes.valueSwitch ?? ''}
          aria-label={label}
          label={t(isOn(variable) ? 'definition.On' : 'definition.Off')}
          checked={isOn(variable)}
          onChange={(event) => onChange(switchedTo(variable, event.currentTarget.checked))}
        />
      </div>
    )
  if (typeIn(variable) === 'option' && options.length > 0) {
    const named = options.map((option) => ({ value: option.value, label: option.display || option.value }))
    const known = named.filter((one, index) => named.findIndex((other) => other.value === one.value) === index)
    const isKnown = known.some((one) => one.value === value)
    return (
      <Select
        label={label}
        error={problem}
        data={isKnown || value === '' ? known : [...known, { value, label: value }]}
        value={isKnown || value !== '' ? value : null}
        allowDeselect={false}
        onChange={(choice) => onChange(chosen(variable, choice ?? ''))}
      />
    )
  }
  if (typeIn(variable) === 'string' && (flagOf(variable.multiline) || hadLines))
    return (
      <Textarea
        {...code}
        label={label}
        autosize
        minRows={2}
        maxRows={12}
        value={value}
        error={problem}
        onChange={(event) => onChange(withValue(variable, event.currentTarget.value))}
      />
    )
  return (
    <TextInput
      {...code}
      label={label}
      inputMode={typeIn(variable) === 'integer' ? 'numeric' : 'text'}
      value={value}
      error={problem}
      onChange={(event) => onChange(withValue(variable, event.currentTarget.value))}
    />
  )
}

function Options({ variable, onChange }: ValueProps) {
  const t = useT()
  const options = optionsIn(variable)
  const held = Array.isArray(variable.options) ? (variable.options as unknown[]) : []
  return (
    <fieldset className={`${classes.group} ${classes.wide}`}>
      <legend>{t('definition.Options')}</legend>
      {options.map(({ value, display }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an option is what stands at its place
        <div key={index} className={classes.pair}>
          <TextInput
            {...code}
            aria-label={t('definition.OptionValue', { number: index + 1 })}
            placeholder={t('definition.Value')}
            value={value}
            onChange={(event) => onChange(withOption(variable, index, { value: event.currentTarget.value }))}
          />
          <TextInput
            aria-label={t('definition.OptionDisplay', { number: index + 1 })}
            placeholder={t('definition.VariableDisplay')}
            value={display}
            onChange={(event) => onChange(withOption(variable, index, { display: event.currentTarget.value }))}
          />
          <ActionIcon
            aria-label={t('definition.RemoveOption', { number: index + 1 })}
            onClick={() => onChange({ ...variable, options: held.toSpliced(index, 1) })}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="compact-xs"
        variant="subtle"
        leftSection={<IconPlus size={14} aria-hidden />}
        onClick={() => onChange({ ...variable, options: [...held, { value: '', display: '' }] })}
      >
        {t('definition.AddOption')}
      </Button>
    </fieldset>
  )
}
