import type { Environment } from '@innkeeper/contract/definitions/definition'
import { Fieldset, SimpleGrid, Stack } from '@mantine/core'
import { useState } from 'react'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { DockerFields } from '../../ui/server-forms/docker-fields.tsx'
import {
  applyDockerForm,
  type DockerForm,
  toDockerForm,
  validateDockerForm,
} from '../../ui/server-forms/docker-form.ts'
import { LimitsFields } from '../../ui/server-forms/limits-fields.tsx'
import { applyLimitsForm, toLimitsForm } from '../../ui/server-forms/limits-form.ts'
import { canonicalType } from './environments.ts'

interface EnvironmentFieldsProps {
  readonly environment: Environment
  readonly onChange: (environment: Environment, isValid: boolean) => void
}

/** The container and the limits of an environment. */
export function EnvironmentFields({ environment, onChange }: EnvironmentFieldsProps) {
  const t = useT()
  const [form, setForm] = useState(() => toDockerForm(environment))
  const isDocker = canonicalType(environment) === 'docker'
  const isValid = !isDocker || validateDockerForm(form).size === 0
  const change = (changes: Partial<DockerForm>) => {
    const next = { ...form, ...changes }
    setForm(next)
    onChange(applyDockerForm(environment, next), validateDockerForm(next).size === 0)
  }
  return (
    <Stack gap="lg">
      {isDocker && <DockerFields form={form} onChange={change} getError={(field) => getDockerError(t, form, field)} />}
      <Fieldset variant="unstyled" mx={0} legend={t('server.Limits')}>
        <SimpleGrid minColWidth="min(100%, 11rem)" autoFlow="auto-fit" spacing="md" verticalSpacing="sm">
          <LimitsFields
            form={toLimitsForm(environment)}
            isolation={undefined}
            onChange={(limits) => onChange(applyLimitsForm(environment, limits), isValid)}
          />
        </SimpleGrid>
      </Fieldset>
    </Stack>
  )
}

function getDockerError(t: TFunction, form: DockerForm, field: string): string | undefined {
  const code = validateDockerForm(form).get(field)
  if (code === undefined) return undefined
  if (field.startsWith('port-')) return t('docker.InvalidPort')
  if (field.startsWith('folder-')) return t('errors.ErrFieldInvalid', { field: t('docker.Folders') })
  if (field.startsWith('tmpfs-')) return t('errors.ErrFieldInvalid', { field: t('docker.Tmpfs') })
  if (field === 'containerRoot') return t('errors.ErrFieldInvalid', { field: t('docker.ContainerRoot') })
  if (field.startsWith('binding-')) return t('docker.InvalidPath')
  return t(`errors.${code}`, { field: t(field === 'image' ? 'docker.Image' : 'docker.NetworkName') })
}
