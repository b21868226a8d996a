import type { Template } from '@innkeeper/contract/definition'
import { limits } from '@innkeeper/contract/limits'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { booleanOf, textOf, typeOf, type Variable, type VariableValue } from '@innkeeper/contract/variables'
import { Select, Switch, TextInput } from '@mantine/core'
import { Fragment } from 'react'
import { useCall } from '../../api/use-call.ts'
import { useText } from '../../i18n/text.tsx'
import { useMay } from '../../session/session.tsx'
import { DockerFields } from '../../ui/docker-fields.tsx'
import { LimitsFields } from '../../ui/limits-fields.tsx'
import { Card } from '../../ui/small.tsx'
import classes from './add-server-screen.module.css'
import { type Draft, dockerField, dockerIn, fieldOf, limitsIn, valueNow, variablesOf } from './draft.ts'
import { PortHelp } from './port-help.tsx'

interface SettingsStepProps {
  readonly draft: Draft
  readonly template: Template
  readonly edit: (changed: (before: Draft) => Draft) => void
  readonly problemAt: (field: string) => string | undefined
}

/** Its name, the values of the template's variables and, for administrators, its container. */
export function SettingsStep({ draft, template, edit, problemAt }: SettingsStepProps) {
  const text = useText()
  const variables = variablesOf(template)
  const isAdmin = useMay('servers.admin')
  const docker = isAdmin ? dockerIn(draft, template) : undefined
  const problemOfDocker = (part: string) => {
    const problem = problemAt(dockerField(part))
    if (problem === undefined) return undefined
    if (part.startsWith('port-')) return text('docker.Wrong_port')
    return part.startsWith('binding-') ? text('docker.Wrong_path') : problem
  }
  return (
    <>
      <Card className={classes.fields ?? ''}>
        <TextInput
          autoFocus
          label={text('add-server.Name')}
          description={text('add-server.NameHow')}
          inputWrapperOrder={['label', 'input', 'error', 'description']}
          required
          maxLength={limits.serverNameMax}
          autoComplete="off"
          value={draft.name}
          error={problemAt('name')}
          onChange={(event) => {
            const name = event.currentTarget.value
            edit((before) => ({ ...before, name }))
          }}
        />
      </Card>
      {variables.length > 0 && (
        <section>
          <h2>{text('add-server.Variables')}</h2>
          <Card className={classes.fields ?? ''}>
            {variables.map(([name, variable]) => (
              <Fragment key={name}>
                <VariableField
                  name={name}
                  variable={variable}
                  value={valueNow(draft, name, variable)}
                  problem={problemAt(fieldOf(name))}
                  onChange={(value) => edit((before) => ({ ...before, values: { ...before.values, [name]: value } }))}
                />
                {name === 'port' && draft.node !== undefined && (
                  <PortHelp draft={{ ...draft, node: draft.node }} template={template} edit={edit} />
                )}
              </Fragment>
            ))}
          </Card>
        </section>
      )}
      {docker && (
        <section>
          <h2>{text('docker.Container')}</h2>
          <Card className={classes.fields ?? ''}>
            <DockerFields
              form={docker}
              problemAt={problemOfDocker}
              onChange={(part) => edit((before) => ({ ...before, docker: { ...docker, ...before.docker, ...part } }))}
            />
          </Card>
        </section>
      )}
      {isAdmin && <Limits draft={draft} template={template} edit={edit} />}
    </>
  )
}

/** Folded up: most servers have none. */
function Limits({ draft, template, edit }: Pick<SettingsStepProps, 'draft' | 'template' | 'edit'>) {
  const text = useText()
  const nodes = useCall(listNodeChoices, {}, { staleTime: 60_000 })
  const node = nodes.data?.find(({ id }) => id === draft.node)
  const isContained = dockerIn(draft, template) !== undefined
  return (
    <Card>
      <details className={classes.folded} open={draft.limits !== undefined}>
        <summary>{text('server.Limits')}</summary>
        <div className={classes.fields}>
          <LimitsFields
            form={limitsIn(draft, template)}
            isolation={isContained ? undefined : node?.features?.isolation}
            onChange={(limits) => edit((before) => ({ ...before, limits }))}
          />
          <p className={classes.quiet}>{text('server.LimitsAbout')}</p>
        </div>
      </details>
    </Card>
  )
}

interface VariableFieldProps {
  readonly name: string
  readonly variable: Variable
  readonly value: VariableValue | undefined
  readonly problem: string | undefined
  readonly onChange: (value: VariableValue) => void
}

/** One variable in the field that fits its type. */
function VariableField({ name, variable, value, problem, onChange }: VariableFieldProps) {
  const label = variable.display || name
  const type = typeOf(variable)
  const common = {
    label,
    description: variable.desc || undefined,
    error: problem,
    required: variable.required === true,
    inputWrapperOrder: ['label', 'input', 'error', 'description'] as ('label' | 'input' | 'error' | 'description')[],
  }
  if (type === 'boolean') {
    return (
      <Switch
        label={label}
        description={variable.desc || undefined}
        error={problem}
        checked={booleanOf(value) === true}
        // Templates hold booleans as text as often as not: the kind of value stays what it was.
        onChange={({ currentTarget: { checked } }) => onChange(typeof value === 'string' ? String(checked) : checked)}
      />
    )
  }
  if (type === 'option') {
    const options = variable.options ?? []
    return (
      <Select
        {...common}
        value={textOf(value)}
        data={options.map((option) => ({
          value: textOf(option.value),
          label: option.display || textOf(option.value),
        }))}
        onChange={(chosen) => onChange(options.find((option) => textOf(option.value) === chosen)?.value ?? '')}
      />
    )
  }
  return (
    <TextInput
      {...common}
      value={textOf(value)}
      autoComplete="off"
      spellCheck={false}
      {...(type === 'integer' ? { inputMode: 'numeric', dir: 'ltr' } : {})}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
