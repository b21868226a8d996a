import type { Template } from '@innkeeper/contract/definitions/definition'
import { getText } from '@innkeeper/contract/definitions/variables'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { getTemplate, listTemplates } from '@innkeeper/contract/templates/templates'
import { limits } from '@innkeeper/contract/text/limits'
import { MultiSelect, NumberInput, Select, SimpleGrid, Switch, TextInput } from '@mantine/core'
import { useApiQuery } from '../../../api/use-api.ts'
import { RetentionFields } from '../../../features/backups/retention-fields.tsx'
import { VariableField } from '../../../features/variables/variable-field.tsx'
import type { SaveFormOf } from '../../../forms/use-save-form.ts'
import { useT } from '../../../i18n/i18n.tsx'
import { codeInputProps } from '../../../ui/fields/code-input.ts'
import { NodeLabelsInput } from '../../../ui/fields/node-labels-input.tsx'
import { NumberField } from '../../../ui/fields/number-field.tsx'
import { QueryState } from '../../../ui/loading/query-state.tsx'
import { variableLabel } from '../../../ui/names/variable-label.ts'
import { errorMessage } from '../../../ui/text/error-message.ts'
import { type PlanForm, planLabels, validatePlanVariable } from './plan-form.ts'

interface PlanFieldsProps {
  readonly form: SaveFormOf<PlanForm>
  /** The ID can be chosen. */
  readonly isNew?: boolean
}

export function PlanFields({ form, isNew = false }: PlanFieldsProps) {
  const t = useT()
  const { values } = form
  return (
    <>
      <SimpleGrid minColWidth="min(100%, 14rem)" autoFlow="auto-fit">
        {isNew && (
          <TextInput
            {...codeInputProps}
            data-autofocus
            withAsterisk
            label={t('plans.Name')}
            description={t('plans.NameHelp')}
            maxLength={64}
            {...form.field('name')}
          />
        )}
        <TemplateSelect form={form} />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, xs: 3 }} spacing="sm" style={{ alignItems: 'end' }}>
        <OptionalNumber form={form} field="memory" placeholder={t('plans.OfTemplate')} />
        <OptionalNumber form={form} field="cpu" placeholder={t('plans.OfTemplate')} />
        <OptionalNumber form={form} field="disk" placeholder={t('plans.OfTemplate')} />
      </SimpleGrid>
      <Variables form={form} />
      <SimpleGrid minColWidth="min(100%, 14rem)" autoFlow="auto-fit">
        <OptionalNumber
          form={form}
          field="ports"
          max={limits.planPorts}
          placeholder={t('plans.OfTemplate')}
          description={t('plans.PortsHelp')}
        />
        <OptionalNumber
          form={form}
          field="extraPorts"
          min={0}
          max={limits.extraPorts}
          placeholder={t('plans.Unchanged')}
          description={t('plans.ExtraPortsHelp')}
        />
      </SimpleGrid>
      <Switch
        {...form.switchField('hasRetention')}
        label={t('plans.HasRetention')}
        description={t('plans.HasRetentionHelp')}
      />
      {values.hasRetention && <RetentionFields form={form} />}
      <Place form={form} />
      <NumberField
        label={t('plans.GraceDays')}
        description={t('plans.GraceDaysHelp')}
        max={limits.graceDaysMax}
        {...form.field('graceDays')}
      />
    </>
  )
}

interface FormProps {
  readonly form: SaveFormOf<PlanForm>
}

function TemplateSelect({ form }: FormProps) {
  const t = useT()
  const query = useApiQuery(listTemplates)
  const { template } = form.values
  return (
    <QueryState query={query} errorTitle={t('common.TemplatesNotLoaded')}>
      {(templates) => {
        const names = new Map(templates.map(({ name, display }) => [name, display ?? name]))
        if (template !== '' && !names.has(template)) names.set(template, template)
        return (
          <Select
            label={t('plans.Template')}
            description={t('plans.TemplateHelp')}
            withAsterisk
            searchable
            allowDeselect={false}
            data={[...names].map(([value, label]) => ({ value, label }))}
            {...form.field('template')}
            value={template || null}
            onChange={(selected) => form.set({ template: selected ?? template, variables: {} })}
          />
        )
      }}
    </QueryState>
  )
}

interface OptionalNumberProps extends FormProps {
  readonly field: 'memory' | 'cpu' | 'disk' | 'ports' | 'extraPorts'
  /** Shown while it is empty: what applies then. */
  readonly placeholder: string
  readonly description?: string
  readonly min?: number
  readonly max?: number
}

function OptionalNumber({ form, field, min = 1, max = 1_000_000_000, ...input }: OptionalNumberProps) {
  const t = useT()
  return (
    <NumberInput
      {...input}
      label={t(planLabels[field])}
      min={min}
      max={max}
      allowDecimal={false}
      allowNegative={false}
      clampBehavior="strict"
      {...form.field(field)}
      onChange={(value) => form.set({ [field]: typeof value === 'number' ? value : '' })}
    />
  )
}

/** The values that the plan sets for variables of its template. */
function Variables({ form }: FormProps) {
  const { template: name } = form.values
  const query = useApiQuery(getTemplate, { params: { name } }, { enabled: name !== '' })
  const t = useT()
  if (name === '') return null
  return (
    <QueryState query={query} errorTitle={t('plans.TemplateNotLoaded')}>
      {(template) => <VariableFields form={form} template={template} />}
    </QueryState>
  )
}

function VariableFields({ form, template }: FormProps & { readonly template: Template }) {
  const t = useT()
  const { variables } = form.values
  const names = new Set([...Object.keys(template.data), ...Object.keys(variables)])
  const getLabel = (name: string) => variableLabel(t, name, template.data[name] ?? {})
  const select = (selected: readonly string[]) =>
    form.set({
      variables: Object.fromEntries(
        selected.map((name) => [name, variables[name] ?? getText(template.data[name]?.value)]),
      ),
    })
  return (
    <>
      <MultiSelect
        label={t('plans.Variables')}
        description={t('plans.VariablesHelp')}
        searchable
        data={[...names].map((name) => ({ value: name, label: getLabel(name) }))}
        {...form.field('variables')}
        value={Object.keys(variables)}
        onChange={select}
      />
      {Object.entries(variables).map(([name, text]) => {
        const problem = validatePlanVariable(t, template, name, text)
        return (
          <VariableField
            key={name}
            name={name}
            variable={template.data[name] ?? {}}
            value={text}
            error={problem && errorMessage(t, problem)}
            onChange={(changed) => form.set({ variables: { ...variables, [name]: changed } })}
          />
        )
      })}
    </>
  )
}

/** The node of new servers, or the labels by which the panel chooses one. */
function Place({ form }: FormProps) {
  const t = useT()
  const query = useApiQuery(listNodeChoices)
  const { node, labels } = form.values
  return (
    <QueryState query={query} errorTitle={t('common.NodesNotLoaded')}>
      {(nodes) => {
        const names = new Map([['', t('plans.AnyNode')], ...nodes.map(({ id, name }) => [String(id), name] as const)])
        if (!names.has(node)) names.set(node, node)
        return (
          <SimpleGrid minColWidth="min(100%, 14rem)" autoFlow="auto-fit">
            <Select
              label={t('common.Node')}
              allowDeselect={false}
              data={[...names].map(([value, label]) => ({ value, label }))}
              {...form.field('node')}
              onChange={(selected) => form.set({ node: selected ?? node })}
            />
            {node === '' && (
              <NodeLabelsInput
                label={t('plans.Labels')}
                {...form.field('labels')}
                value={labels}
                onChange={(changed) => form.set({ labels: changed })}
              />
            )}
          </SimpleGrid>
        )
      }}
    </QueryState>
  )
}
