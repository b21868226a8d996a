import { NumberInput } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { DockerFields } from '../../ui/docker-fields.tsx'
import { applyDockerForm, type DockerForm, toDockerForm, validateDockerForm } from '../../ui/docker-form.ts'
import classes from './definition-editor.module.css'
import { kindOf, limitNames, type RawEnvironment, withLimit } from './environments.ts'

interface EnvironmentFieldsProps {
  readonly environment: RawEnvironment
  /** `isRight` tells whether all that was typed can be right. */
  readonly onChange: (environment: RawEnvironment, isRight: boolean) => void
}

/** What an environment has beside its type: the container, and what may be used at most. */
export function EnvironmentFields({ environment, onChange }: EnvironmentFieldsProps) {
  const t = useT()
  const [form, setForm] = useState(() => toDockerForm(environment))
  const isDocker = kindOf(environment) === 'docker'
  const isRight = !isDocker || validateDockerForm(form).size === 0
  const change = (part: Partial<DockerForm>) => {
    const next = { ...form, ...part }
    setForm(next)
    onChange(applyDockerForm(environment, next), validateDockerForm(next).size === 0)
  }
  return (
    <div className={classes.environment}>
      {isDocker && <DockerFields form={form} onChange={change} problemAt={(field) => dockerProblem(t, form, field)} />}
      <fieldset className={classes.limits}>
        <legend>{t('definition.Limits')}</legend>
        {limitNames.map((name) => (
          <NumberInput
            key={name}
            label={t(`definition.Limit_${name}`)}
            placeholder={t('definition.NoLimit')}
            min={1}
            allowDecimal={false}
            allowNegative={false}
            hideControls
            value={environment.limits?.[name] ?? ''}
            onChange={(value) =>
              onChange(withLimit(environment, name, typeof value === 'number' && value > 0 ? value : ''), isRight)
            }
          />
        ))}
      </fieldset>
    </div>
  )
}

function dockerProblem(text: ReturnType<typeof useT>, form: DockerForm, field: string): string | undefined {
  const objection = validateDockerForm(form).get(field)
  if (objection === undefined) return undefined
  if (field.startsWith('port-')) return text('docker.Wrong_port')
  if (field.startsWith('binding-')) return text('docker.Wrong_path')
  return text(`errors.${objection}`, { field: text(field === 'image' ? 'docker.Image' : 'docker.NetworkName') })
}
