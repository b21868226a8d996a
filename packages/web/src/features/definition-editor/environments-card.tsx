import { type Environment, environmentTypes } from '@innkeeper/contract/definitions/definition'
import { dockerDefaults, getDockerFields } from '@innkeeper/contract/definitions/docker'
import { ActionIcon, Fieldset, Flex, Group, Modal, Paper, Select, SimpleGrid, Stack, Text } from '@mantine/core'
import { IconPencil, IconTrash } from '@tabler/icons-react'
import { useState } from 'react'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { AddButton } from '../../ui/layout/add-button.tsx'
import { environmentName } from '../../ui/names/environment-name.ts'
import { DialogButtons } from '../../ui/overlays/dialog-buttons.tsx'
import { DockerFields } from '../../ui/server-forms/docker-fields.tsx'
import {
  applyDockerForm,
  type DockerForm,
  toDockerForm,
  validateDockerForm,
} from '../../ui/server-forms/docker-form.ts'
import { LimitsFields } from '../../ui/server-forms/limits-fields.tsx'
import { applyLimitsForm, toLimitsForm } from '../../ui/server-forms/limits-form.ts'
import { CodeText } from '../../ui/text/code-text.tsx'
import {
  availableTypes,
  canonicalType,
  changeEnvironmentType,
  getEnvironment,
  getEnvironments,
  setDefaultEnvironment,
  setEnvironments,
} from './environments.ts'
import { setIn } from './json-path.ts'
import { FieldRow, SectionCard, type SectionProps } from './section-card.tsx'

/** The environments that a template supports, and the default one. */
export function EnvironmentsCard({ raw, onChange }: SectionProps) {
  const t = useT()
  const [editedIndex, setEditedIndex] = useState<number>()
  const environments = getEnvironments(raw)
  const available = availableTypes(environments)
  const defaultEnvironment = getEnvironment(raw)
  const update = (next: readonly Environment[]) => {
    onChange(setEnvironments(raw, next))
    setEditedIndex(undefined)
  }
  return (
    <SectionCard section="environments">
      {environments.length === 0 ? (
        <Text c="dimmed">{t('definition.NoEnvironments')}</Text>
      ) : (
        <Flex component="ul" direction="column" gap="xs">
          {environments.map((environment, index) => {
            const name = environmentName(t, environment.type)
            return (
              <Paper component="li" key={environment.type} radius="md" px="sm" py="2xs">
                <Group gap="sm" wrap="nowrap">
                  <Text fw={500}>{name}</Text>
                  <Text c="dimmed" flex={1} truncate>
                    {canonicalType(environment) === 'docker' && (
                      <CodeText>{getDockerFields(environment).image || dockerDefaults.image}</CodeText>
                    )}
                  </Text>
                  <ActionIcon aria-label={t('common.EditNamed', { name })} onClick={() => setEditedIndex(index)}>
                    <IconPencil size={16} aria-hidden />
                  </ActionIcon>
                  <ActionIcon
                    aria-label={t('common.RemoveNamed', { name })}
                    onClick={() => update(environments.toSpliced(index, 1))}
                  >
                    <IconTrash size={16} aria-hidden />
                  </ActionIcon>
                </Group>
              </Paper>
            )
          })}
        </Flex>
      )}
      {available.length > 0 && (
        <AddButton onClick={() => setEditedIndex(environments.length)}>{t('definition.AddEnvironment')}</AddButton>
      )}
      {environments.length > 0 && (
        <FieldRow>
          <Select
            label={t('definition.DefaultEnvironment')}
            placeholder={t('definition.NoDefault')}
            data={environments.map((environment) => ({
              value: canonicalType(environment),
              label: environmentName(t, environment.type),
            }))}
            value={defaultEnvironment ? canonicalType(defaultEnvironment) : null}
            clearable
            clearButtonProps={{ 'aria-label': t('definition.ClearDefault') }}
            onChange={(type) =>
              onChange(type === null ? setIn(raw, ['environment'], undefined) : setDefaultEnvironment(raw, type))
            }
          />
        </FieldRow>
      )}
      {editedIndex !== undefined && (
        <EnvironmentDialog
          environment={environments[editedIndex]}
          availableTypes={available}
          onClose={() => setEditedIndex(undefined)}
          onSubmit={(environment) =>
            update(
              environments[editedIndex] ? environments.with(editedIndex, environment) : [...environments, environment],
            )
          }
        />
      )}
    </SectionCard>
  )
}

interface ServerEnvironmentCardProps extends SectionProps {
  readonly onValidityChange: (isValid: boolean) => void
}

/** The environment of one server. */
export function ServerEnvironmentCard({ raw, onChange, onValidityChange }: ServerEnvironmentCardProps) {
  const t = useT()
  const environment = getEnvironment(raw) ?? { type: 'standard' }
  const known: readonly string[] = environmentTypes
  const types = known.includes(environment.type) ? known : [...known, environment.type]
  return (
    <SectionCard section="environments" title={t('common.Environment')}>
      <FieldRow>
        <Select
          label={t('definition.EnvironmentType')}
          data={types.map((type) => ({ value: type, label: environmentName(t, type) }))}
          value={environment.type}
          onChange={(type) => {
            onValidityChange(true)
            onChange(setIn(raw, ['environment'], changeEnvironmentType(raw, type ?? 'standard')))
          }}
        />
      </FieldRow>
      <EnvironmentFields
        key={environment.type}
        environment={environment}
        onChange={(next, isValid) => {
          onValidityChange(isValid)
          onChange(setIn(raw, ['environment'], next))
        }}
      />
    </SectionCard>
  )
}

interface EnvironmentDialogProps {
  /** The environment to edit; absent for a new one. */
  readonly environment: Environment | undefined
  readonly availableTypes: readonly string[]
  readonly onSubmit: (environment: Environment) => void
  readonly onClose: () => void
}

/** Adds or edits an environment of a template. */
function EnvironmentDialog({ environment, availableTypes, onSubmit, onClose }: EnvironmentDialogProps) {
  const t = useT()
  const [draft, setDraft] = useState<Environment>(environment ?? { type: availableTypes[0] ?? 'standard' })
  const [isValid, setIsValid] = useState(true)
  const types = environment ? [environment.type, ...availableTypes] : availableTypes
  return (
    <Modal
      opened
      onClose={onClose}
      variant="phone-full-screen"
      size="lg"
      title={t(environment ? 'definition.EditEnvironment' : 'definition.AddEnvironment')}
    >
      <Stack gap="lg">
        <Select
          label={t('common.Environment')}
          data={types.map((type) => ({ value: type, label: environmentName(t, type) }))}
          value={draft.type}
          onChange={(type) => {
            setIsValid(true)
            setDraft(environment && type === environment.type ? environment : { type: type ?? 'standard' })
          }}
        />
        <EnvironmentFields
          key={draft.type}
          environment={draft}
          onChange={(next, isNextValid) => {
            setDraft(next)
            setIsValid(isNextValid)
          }}
        />
        <DialogButtons onCancel={onClose} disabled={!isValid} onClick={() => onSubmit(draft)}>
          {t(environment ? 'definition.Done' : 'common.Add')}
        </DialogButtons>
      </Stack>
    </Modal>
  )
}

interface EnvironmentFieldsProps {
  readonly environment: Environment
  readonly onChange: (environment: Environment, isValid: boolean) => void
}

/** The container and the limits of an environment. */
function EnvironmentFields({ environment, onChange }: EnvironmentFieldsProps) {
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
