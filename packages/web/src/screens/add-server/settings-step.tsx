import { getText } from '@innkeeper/contract/definitions/variables'
import { checkPort, findFreePorts } from '@innkeeper/contract/nodes/node-ports'
import { listNodeChoices } from '@innkeeper/contract/nodes/nodes'
import { limits } from '@innkeeper/contract/text/limits'
import { serverNameSymbols } from '@innkeeper/contract/text/names'
import { Button, Divider, Paper, Stack, Text, TextInput, Title } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { IconRefresh } from '@tabler/icons-react'
import { type ReactNode, useEffect } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { parseValue } from '../../features/variables/parse-value.ts'
import type { Section } from '../../features/variables/sections.ts'
import { VariableField } from '../../features/variables/variable-field.tsx'
import { FieldGrid, VariableSections } from '../../features/variables/variable-sections.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { useCan } from '../../session/session.tsx'
import { DockerFields } from '../../ui/server-forms/docker-fields.tsx'
import { LimitsFields } from '../../ui/server-forms/limits-fields.tsx'
import {
  dockerField,
  type EditableVariable,
  getDockerForm,
  getLimitsForm,
  getValue,
  type StepProps,
  variableField,
} from './draft.ts'
import { canSuggestPort, getListenAddress, nextFreePort, setPortAddress, withoutUserPorts } from './port-suggestion.ts'

interface SettingsStepProps extends StepProps {
  readonly sections: readonly Section<EditableVariable>[]
  readonly getError: (field: string) => string | undefined
}

/** Name, variables and, for administrators, container and limits of the server. */
export function SettingsStep({ draft, template, sections, edit, getError }: SettingsStepProps) {
  const t = useT()
  const isAdmin = useCan('servers.admin')
  const docker = isAdmin ? getDockerForm(draft, template) : undefined
  const getDockerError = (part: string) => {
    const error = getError(dockerField(part))
    if (error === undefined) return undefined
    if (part.startsWith('port-')) return t('docker.InvalidPort')
    if (part.startsWith('folder-')) return t('errors.ErrFieldInvalid', { field: t('docker.Folders') })
    if (part.startsWith('tmpfs-')) return t('errors.ErrFieldInvalid', { field: t('docker.Tmpfs') })
    return part.startsWith('binding-') ? t('docker.InvalidPath') : error
  }
  const renderField = ({ name, variable }: EditableVariable) => {
    const field = (
      <VariableField
        key={name}
        name={name}
        variable={variable}
        value={getText(getValue(draft, name, variable))}
        error={getError(variableField(name))}
        onChange={(text) =>
          edit((current) => ({ ...current, values: { ...current.values, [name]: parseValue(variable, text) } }))
        }
      />
    )
    if (name !== 'port' || draft.node === undefined) return field
    return (
      <div key={name}>
        {field}
        <PortAvailability draft={draft} node={draft.node} template={template} edit={edit} />
      </div>
    )
  }
  return (
    <>
      <Paper p="md">
        <TextInput
          autoFocus
          label={t('common.Name')}
          description={t('add-server.NameHelp', { max: limits.serverNameMax, symbols: serverNameSymbols })}
          required
          autoComplete="off"
          value={draft.name}
          error={getError('name')}
          onChange={(event) => {
            const name = event.currentTarget.value
            edit((current) => ({ ...current, name }))
          }}
        />
      </Paper>
      {sections.length > 0 && (
        <TitledSection title={t('add-server.Variables')}>
          <Paper>
            <VariableSections sections={sections}>
              {(fields) => <FieldGrid>{fields.map(renderField)}</FieldGrid>}
            </VariableSections>
          </Paper>
        </TitledSection>
      )}
      {docker && (
        <TitledSection title={t('docker.Container')}>
          <Stack component={Paper} gap="lg" p="md">
            <DockerFields
              form={docker}
              getError={getDockerError}
              onChange={(changes) =>
                edit((current) => ({ ...current, docker: { ...docker, ...current.docker, ...changes } }))
              }
            />
          </Stack>
        </TitledSection>
      )}
      {isAdmin && <Limits draft={draft} template={template} edit={edit} />}
    </>
  )
}

function TitledSection({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Stack component="section" gap="xs">
      <Title order={2}>{title}</Title>
      {children}
    </Stack>
  )
}

/** Collapsed at first: most servers have no limits. */
function Limits({ draft, template, edit }: StepProps) {
  const t = useT()
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000 })
  const node = nodes.data?.find(({ id }) => id === draft.node)
  const isInContainer = getDockerForm(draft, template) !== undefined
  return (
    <Paper component="details" open={draft.limits !== undefined}>
      <Text component="summary" px="md" py="sm" fw={500}>
        {t('server.Limits')}
      </Text>
      <Divider />
      <Stack gap="lg" p="md">
        <LimitsFields
          form={getLimitsForm(draft, template)}
          isolation={node?.features?.isolation}
          isContainer={isInContainer}
          onChange={(limits) => edit((current) => ({ ...current, limits }))}
        />
        <Text variant="note">{t('server.LimitsAbout')}</Text>
      </Stack>
    </Paper>
  )
}

/** How many free ports the button offers in turn. */
const freePortCount = 20
const debounceMs = 300

/** Fills in a free port of the node, offers others, and warns about a port that is taken. */
function PortAvailability({ draft, node, template, edit }: StepProps & { readonly node: number }) {
  const t = useT()
  const { list } = useFormatters()
  const params = { id: node }
  const { ip, port } = getListenAddress(draft, template)
  const [debouncedAddress] = useDebouncedValue(`${port} ${ip}`, debounceMs)
  const isSettled = debouncedAddress === `${port} ${ip}`
  const free = useApiQuery(findFreePorts, { params, query: { count: freePortCount } }, { refetchOnMount: 'always' })
  const check = useApiQuery(
    checkPort,
    { params, query: { address: ip, port } },
    { enabled: port > 0 && isSettled, refetchOnMount: 'always' },
  )
  const ports = free.data?.ports
  const canSuggest = canSuggestPort(draft, template, node)
  useEffect(() => {
    const [first] = ports ?? []
    if (first && canSuggest) edit((current) => setPortAddress(current, template, node, first, ports))
  }, [ports, canSuggest, edit, node, template])

  const next = nextFreePort(withoutUserPorts(ports ?? [], draft, template), { ip, port })
  const { isReserved, server, inUse = [], isChecked = true } = (isSettled && check.data) || {}
  const warnings = [
    isReserved &&
      (server
        ? t('add-server.PortReservedBy', { port: String(port), name: server.name })
        : t('add-server.PortReserved', { port: String(port) })),
    inUse.length > 0 &&
      t('add-server.PortInUse', { port: String(port), protocols: list(inUse.map((name) => name.toUpperCase())) }),
    !isChecked && t('add-server.PortUnchecked'),
    free.data?.hasRanges && free.data.ports.length === 0 && t('add-server.NoPortLeft'),
  ].filter((warning) => typeof warning === 'string')
  return (
    <Stack gap="xs" align="flex-start" mt="xs">
      <Text component="div" role="status" c="var(--ik-warning)" fz="compact">
        {warnings.map((warning) => (
          <p key={warning}>{warning}</p>
        ))}
      </Text>
      {next && (
        <Button
          variant="default"
          size="compact-sm"
          leftSection={<IconRefresh size={15} aria-hidden />}
          onClick={() => edit((current) => setPortAddress(current, template, node, next, ports))}
        >
          {t('add-server.UsePort', { port: String(next.port) })}
        </Button>
      )}
    </Stack>
  )
}
