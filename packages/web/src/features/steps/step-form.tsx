import { isStepType, type Step, type StepType } from '@innkeeper/contract/definitions/operations'
import {
  ActionIcon,
  Autocomplete,
  Code,
  Fieldset,
  Group,
  Input,
  Select,
  Stack,
  Switch,
  Text,
  Textarea,
  TextInput,
} from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { findText, type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { codeInputProps } from '../../ui/fields/code-input.ts'
import { PasswordField } from '../../ui/fields/password-field.tsx'
import { StringListInput } from '../../ui/fields/string-list-input.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { type ConfigChangeDraft, getChanges, setChangeText } from './config-changes.ts'
import type { StepField } from './step-fields.ts'
import {
  getBoolean,
  getFields,
  getLines,
  getOtherFields,
  getText,
  hasErrorSwitch,
  hasTextCondition,
  newStep,
  setContinueOnError,
  setText,
  stepFieldName,
} from './step-rules.ts'
import classes from './steps.module.css'

export interface StepFormProps {
  readonly step: Step
  readonly types: readonly StepType[]
  /** Messages by field name. */
  readonly errors: ReadonlyMap<string, string>
  /** Types that the user cannot select, with the reason. */
  readonly forbidden: ReadonlyMap<StepType, string>
  readonly onChange: (step: Step) => void
  /** Called with a new step of another type, without the previous values. */
  readonly onTypeChange: (step: Step) => void
}

/** The form of a step. Fields that it does not know are shown as JSON. */
export function StepForm({ step, types, errors, forbidden, onChange, onTypeChange }: StepFormProps) {
  const t = useT()
  const otherFields = getOtherFields(step)
  const isOffered = types.some((type) => type === step.type)
  const toOption = (value: string) => {
    if (!isStepType(value)) return { value, label: value }
    const label = t(`steps.Type_${value}`)
    const reason = forbidden.get(value)
    return reason === undefined
      ? { value, label }
      : { value, label: t('steps.ForbiddenType', { type: label, reason }), disabled: value !== step.type }
  }
  const groups = stepGroups.map((group) => ({
    group: t(group.label),
    items: group.types.filter((type) => types.includes(type)).map(toOption),
  }))
  return (
    <>
      <Select
        label={t('common.Type')}
        data={[...(isOffered ? [] : [toOption(step.type)]), ...groups]}
        value={step.type}
        searchable
        openOnFocus={false}
        error={errors.get('type')}
        onChange={(type) => {
          if (type !== null && type !== step.type && isStepType(type)) onTypeChange(newStep(type))
        }}
      />
      {getFields(step).map((field) => (
        <Field key={field.name} step={step} field={field} error={errors.get(field.name)} onChange={onChange} />
      ))}
      {hasTextCondition(step) && (
        <TextInput
          {...codeInputProps}
          label={t('steps.Condition')}
          description={t('steps.ConditionHelp')}
          value={getText(step, 'if')}
          error={errors.get('if')}
          onChange={(event) => onChange(setText(step, { name: 'if', input: 'text' }, event.currentTarget.value))}
        />
      )}
      {hasErrorSwitch(step) && (
        <Switch
          label={t('steps.Field_continueOnError')}
          checked={step.continueOnError === true}
          onChange={(event) => onChange(setContinueOnError(step, event.currentTarget.checked))}
        />
      )}
      {Object.keys(otherFields).length > 0 && (
        <div className={classes.otherFields}>
          <Text c="dimmed" mb="xs">
            {t(isStepType(step.type) ? 'steps.OtherFields' : 'steps.UnknownType')}
          </Text>
          <Code block mah="16rem" dir="ltr" tabIndex={0}>
            {JSON.stringify(otherFields, null, 2)}
          </Code>
        </div>
      )}
    </>
  )
}

interface FieldProps {
  readonly step: Step
  readonly field: StepField
  readonly error: string | undefined
  readonly onChange: (step: Step) => void
}

function Field({ step, field, error, onChange }: FieldProps) {
  const t = useT()
  const { name, input, isRequired = false, options = [] } = field
  const defaultText = typeof field.defaultValue === 'string' ? field.defaultValue : ''
  const label = stepFieldName(t, name)
  const value = getText(step, name)
  const set = (text: string) => onChange(setText(step, field, text))
  const textProps = { ...codeInputProps, label, error, withAsterisk: isRequired, value, placeholder: defaultText }
  switch (input) {
    case 'list':
      return (
        <StringListInput
          label={label}
          isRequired={isRequired}
          values={getLines(step, field)}
          error={error}
          onChange={(lines) => onChange({ ...step, [name]: lines })}
        />
      )
    case 'switch':
      return (
        <Switch
          label={label}
          checked={getBoolean(step, field)}
          onChange={(event) => onChange({ ...step, [name]: event.currentTarget.checked })}
        />
      )
    case 'select': {
      const selected = value || defaultText
      const all = selected === '' || options.includes(selected) ? options : [selected, ...options]
      const getLabel = (option: string) =>
        (field.hasOptionLabels && options.includes(option) && findText(t, `steps.Escape_${option || 'none'}`)) || option
      return (
        <Select
          label={label}
          error={error}
          withAsterisk={isRequired}
          data={all.map((option) => ({ value: option, label: getLabel(option) }))}
          value={selected === '' && !options.includes('') ? null : selected}
          onChange={(option) => {
            if (option !== null) set(option)
          }}
        />
      )
    }
    case 'configChanges':
      return (
        <ConfigChangesInput
          label={label}
          changes={getChanges(step)}
          error={error}
          onChange={(changes) => onChange({ ...step, [name]: changes })}
        />
      )
    case 'textarea':
      return (
        <Textarea
          {...textProps}
          autosize
          minRows={3}
          maxRows={16}
          onChange={(event) => set(event.currentTarget.value)}
        />
      )
    case 'text':
      if (field.isSecret)
        return (
          <PasswordField
            {...textProps}
            autoComplete="new-password"
            onChange={(event) => set(event.currentTarget.value)}
          />
        )
      if (options.length > 0)
        return <Autocomplete {...textProps} data={[...options]} filter={(search) => search.options} onChange={set} />
      return <TextInput {...textProps} onChange={(event) => set(event.currentTarget.value)} />
  }
}

interface ConfigChangesInputProps {
  readonly label: string
  readonly changes: readonly ConfigChangeDraft[]
  readonly error: string | undefined
  readonly onChange: (changes: readonly ConfigChangeDraft[]) => void
}

/** The settings that a step changes in a configuration file, one row each. */
function ConfigChangesInput({ label, changes, error, onChange }: ConfigChangesInputProps) {
  const t = useT()
  const rows = changes.length === 0 ? [{}] : changes
  const columns = { path: t('steps.ConfigPath'), value: t('definition.Value'), when: t('steps.ConfigWhen') }
  const legend = (
    <Input.Label labelElement="div" required>
      {label}
    </Input.Label>
  )
  return (
    <Fieldset variant="unstyled" mx={0} legend={legend} miw={0}>
      <Stack gap="xs" align="flex-start">
        {rows.map((change, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its position
          <Group key={index} gap="xs" w="100%">
            {(['path', 'value', 'when'] as const).map((name) => (
              <TextInput
                key={name}
                {...codeInputProps}
                flex="1 1 8rem"
                aria-label={`${t('lines.Line', { label, number: index + 1 })}: ${columns[name]}`}
                placeholder={columns[name]}
                value={String(change[name] ?? '')}
                error={error !== undefined && index === 0}
                onChange={(event) => onChange(rows.with(index, setChangeText(change, name, event.currentTarget.value)))}
              />
            ))}
            <ActionIcon
              aria-label={t('lines.Remove', { label, number: index + 1 })}
              disabled={changes.length === 0}
              onClick={() => onChange(changes.toSpliced(index, 1))}
            >
              <IconX size={16} aria-hidden />
            </ActionIcon>
          </Group>
        ))}
        {error !== undefined && <Input.Error>{error}</Input.Error>}
        <AddButton isCompact aria-label={t('lines.AddTo', { label })} onClick={() => onChange([...rows, {}])}>
          {t('lines.Add')}
        </AddButton>
      </Stack>
    </Fieldset>
  )
}

interface StepGroup {
  readonly label: TranslationKey
  readonly types: readonly StepType[]
}

/** Step types as they are offered: what is common is first. Each type is in one group. */
const stepGroups: readonly StepGroup[] = [
  { label: 'server.Tabs', types: ['power', 'countdown', 'backup', 'sleep'] },
  { label: 'server.TabConsole', types: ['stdin', 'console'] },
  {
    label: 'server.TabFiles',
    types: ['writefile', 'alterfile', 'editconfig', 'move', 'mkdir', 'archive', 'extract'],
  },
  { label: 'steps.Field_commands', types: ['command', 'dockerrun'] },
  {
    label: 'steps.Downloads',
    types: [
      'download',
      'steamgamedl',
      'mojangdl',
      'paperdl',
      'fabricdl',
      'forgedl',
      'resolveforgeversion',
      'neoforgedl',
      'resolveneoforgeversion',
      'spongedl',
      'spongeforgedl',
      'curseforge',
      'javadl',
      'nodejsdl',
      'dockerpull',
    ],
  },
]
