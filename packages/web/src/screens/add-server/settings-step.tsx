import type { Template } from '@innkeeper/contract/definition'
import { limits } from '@innkeeper/contract/limits'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { textOf } from '@innkeeper/contract/variables'
import { Paper, TextInput } from '@mantine/core'
import { useApiQuery } from '../../api/use-api-query.ts'
import type { Section } from '../../features/variables/sections.ts'
import { valueFrom } from '../../features/variables/values.ts'
import { VariableField } from '../../features/variables/variable-field.tsx'
import { FieldGrid, VariableSections } from '../../features/variables/variable-sections.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useCan } from '../../session/session.tsx'
import { DockerFields } from '../../ui/docker-fields.tsx'
import { LimitsFields } from '../../ui/limits-fields.tsx'
import classes from './add-server-screen.module.css'
import { type Draft, dockerField, dockerIn, type Field, fieldOf, limitsIn, valueNow } from './draft.ts'
import { PortHelp } from './port-help.tsx'

interface SettingsStepProps {
  readonly draft: Draft
  readonly template: Template
  readonly sections: readonly Section<Field>[]
  readonly edit: (changed: (before: Draft) => Draft) => void
  readonly problemAt: (field: string) => string | undefined
}

/** Its name, the values of the template's variables and, for administrators, its container. */
export function SettingsStep({ draft, template, sections, edit, problemAt }: SettingsStepProps) {
  const t = useT()
  const isAdmin = useCan('servers.admin')
  const docker = isAdmin ? dockerIn(draft, template) : undefined
  const problemOfDocker = (part: string) => {
    const problem = problemAt(dockerField(part))
    if (problem === undefined) return undefined
    if (part.startsWith('port-')) return t('docker.Wrong_port')
    return part.startsWith('binding-') ? t('docker.Wrong_path') : problem
  }
  const row = ({ name, variable }: Field) => {
    const field = (
      <VariableField
        key={name}
        name={name}
        variable={variable}
        value={textOf(valueNow(draft, name, variable))}
        problem={problemAt(fieldOf(name))}
        onChange={(typed) =>
          edit((before) => ({ ...before, values: { ...before.values, [name]: valueFrom(variable, typed) } }))
        }
      />
    )
    if (name !== 'port' || draft.node === undefined) return field
    return (
      <div key={name}>
        {field}
        <PortHelp draft={{ ...draft, node: draft.node }} template={template} edit={edit} />
      </div>
    )
  }
  return (
    <>
      <Paper className={classes.fields ?? ''}>
        <TextInput
          autoFocus
          label={t('add-server.Name')}
          description={t('add-server.NameHow', { max: limits.serverNameMax })}
          required
          autoComplete="off"
          value={draft.name}
          error={problemAt('name')}
          onChange={(event) => {
            const name = event.currentTarget.value
            edit((before) => ({ ...before, name }))
          }}
        />
      </Paper>
      {sections.length > 0 && (
        <section>
          <h2>{t('add-server.Variables')}</h2>
          <Paper>
            <VariableSections sections={sections}>
              {(fields) => <FieldGrid>{fields.map(row)}</FieldGrid>}
            </VariableSections>
          </Paper>
        </section>
      )}
      {docker && (
        <section>
          <h2>{t('docker.Container')}</h2>
          <Paper className={classes.fields ?? ''}>
            <DockerFields
              form={docker}
              problemAt={problemOfDocker}
              onChange={(part) => edit((before) => ({ ...before, docker: { ...docker, ...before.docker, ...part } }))}
            />
          </Paper>
        </section>
      )}
      {isAdmin && <Limits draft={draft} template={template} edit={edit} />}
    </>
  )
}

/** Folded up: most servers have none. */
function Limits({ draft, template, edit }: Pick<SettingsStepProps, 'draft' | 'template' | 'edit'>) {
  const t = useT()
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000 })
  const node = nodes.data?.find(({ id }) => id === draft.node)
  const isContained = dockerIn(draft, template) !== undefined
  return (
    <Paper>
      <details className={classes.folded} open={draft.limits !== undefined}>
        <summary>{t('server.Limits')}</summary>
        <div className={classes.fields}>
          <LimitsFields
            form={limitsIn(draft, template)}
            isolation={isContained ? undefined : node?.features?.isolation}
            onChange={(limits) => edit((before) => ({ ...before, limits }))}
          />
          <p className={classes.quiet}>{t('server.LimitsAbout')}</p>
        </div>
      </details>
    </Paper>
  )
}
