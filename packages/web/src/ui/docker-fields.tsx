import { dockerDefaults, networkModes } from '@innkeeper/contract/docker'
import { anyHost, portProtocols } from '@innkeeper/contract/port-binding'
import { ActionIcon, Fieldset, Group, Input, Select, Stack, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useFormatters, useT } from '../i18n/i18n.tsx'
import { AddButton } from './add-button.tsx'
import { codeInputProps } from './code-input.ts'
import { type BindingRow, type DockerForm, hasNetwork, newPort, type PortRow } from './docker-form.ts'
import { nextId } from './row-ids.ts'

interface DockerFieldsProps {
  readonly form: DockerForm
  readonly onChange: (changes: Partial<DockerForm>) => void
  /** The message for a field of `validateDockerForm`. */
  readonly getError: (field: string) => string | undefined
}

/** The form of a container: image, network, bind mounts and port bindings. */
export function DockerFields({ form, onChange, getError }: DockerFieldsProps) {
  const t = useT()
  const knownMode = networkModes.find((mode) => mode === form.networkMode)
  return (
    <Stack gap="lg">
      <TextInput
        {...codeInputProps}
        label={t('docker.Image')}
        description={t('docker.ImageHelp', { image: dockerDefaults.image })}
        placeholder={dockerDefaults.image}
        value={form.image}
        error={getError('image')}
        onChange={(event) => onChange({ image: event.currentTarget.value })}
      />
      <Select
        label={t('docker.NetworkMode')}
        description={knownMode && t(`docker.NetworkModeHelp_${knownMode}`)}
        data={knownMode ? [...networkModes] : [...networkModes, form.networkMode]}
        value={form.networkMode}
        onChange={(mode) => onChange({ networkMode: mode ?? dockerDefaults.networkMode })}
      />
      {hasNetwork(form) && (
        <TextInput
          {...codeInputProps}
          label={t('docker.NetworkName')}
          required={form.networkMode !== 'bridge'}
          value={form.networkName}
          error={getError('networkName')}
          onChange={(event) => onChange({ networkName: event.currentTarget.value })}
        />
      )}
      <Bindings form={form} onChange={onChange} getError={getError} />
      {hasNetwork(form) ? (
        <Ports form={form} onChange={onChange} getError={getError} />
      ) : (
        <Text c="dimmed">{t('docker.NoPorts')}</Text>
      )}
    </Stack>
  )
}

function Bindings({ form: { bindings }, onChange, getError }: DockerFieldsProps) {
  const t = useT()
  const edit = (id: number, changes: Partial<BindingRow>) =>
    onChange({ bindings: bindings.map((row) => (row.id === id ? { ...row, ...changes } : row)) })
  return (
    <RowList
      legend={t('docker.Bindings')}
      description={t('docker.BindingsHelp')}
      addLabel={t('docker.AddBinding')}
      onAdd={() => onChange({ bindings: [...bindings, { id: nextId(bindings), hostPath: '', containerPath: '' }] })}
    >
      {bindings.map(({ id, hostPath, containerPath }, index) => {
        const error = getError(`binding-${id}`)
        return (
          <Row
            key={id}
            error={error}
            removeLabel={t('docker.RemoveBinding', { number: index + 1 })}
            onRemove={() => onChange({ bindings: bindings.filter((row) => row.id !== id) })}
          >
            <Cell
              label={t('docker.HostPath')}
              value={hostPath}
              hasError={error !== undefined}
              onChange={(value) => edit(id, { hostPath: value })}
            />
            <Cell
              label={t('docker.ContainerPath')}
              value={containerPath}
              hasError={error !== undefined}
              onChange={(value) => edit(id, { containerPath: value })}
            />
          </Row>
        )
      })}
    </RowList>
  )
}

const portCells = [
  { field: 'host', label: 'docker.PortHost' },
  { field: 'outside', label: 'docker.PortOutside' },
  { field: 'inside', label: 'docker.PortInside' },
] as const

function Ports({ form: { ports, otherPorts }, onChange, getError }: DockerFieldsProps) {
  const t = useT()
  const { list } = useFormatters()
  const edit = (id: number, changes: Partial<PortRow>) =>
    onChange({ ports: ports.map((row) => (row.id === id ? { ...row, ...changes } : row)) })
  return (
    <RowList
      legend={t('docker.Ports')}
      description={t('docker.PortsHelp', { ip: anyHost, port: '${port}' })}
      addLabel={t('docker.AddPort')}
      onAdd={() => onChange({ ports: [...ports, newPort(ports)] })}
    >
      {ports.map((port, index) => {
        const error = getError(`port-${port.id}`)
        return (
          <Row
            key={port.id}
            error={error}
            removeLabel={t('docker.RemovePort', { number: index + 1 })}
            onRemove={() => onChange({ ports: ports.filter(({ id }) => id !== port.id) })}
          >
            {portCells.map(({ field, label }) => (
              <Cell
                key={field}
                label={t(label)}
                value={port[field]}
                hasError={error !== undefined}
                onChange={(value) => edit(port.id, { [field]: value })}
              />
            ))}
            <Select
              flex="0 1 6.5rem"
              aria-label={t('docker.PortProtocol')}
              data={[...portProtocols]}
              value={port.protocol}
              onChange={(protocol) => edit(port.id, { protocol: protocol === 'udp' ? 'udp' : 'tcp' })}
            />
          </Row>
        )
      })}
      {otherPorts.length > 0 && <Text c="dimmed">{t('docker.OtherPorts', { list: list(otherPorts) })}</Text>}
    </RowList>
  )
}

interface RowListProps {
  readonly legend: string
  readonly description: string
  readonly addLabel: string
  readonly onAdd: () => void
  readonly children: ReactNode
}

function RowList({ legend, description, addLabel, onAdd, children }: RowListProps) {
  return (
    <Fieldset variant="unstyled" mx={0} legend={legend} miw={0}>
      <Stack gap="xs" align="flex-start">
        <Text c="dimmed">{description}</Text>
        {children}
        <AddButton onClick={onAdd}>{addLabel}</AddButton>
      </Stack>
    </Fieldset>
  )
}

interface RowProps {
  readonly error: string | undefined
  readonly removeLabel: string
  readonly onRemove: () => void
  readonly children: ReactNode
}

function Row({ error, removeLabel, onRemove, children }: RowProps) {
  return (
    <>
      <Group gap="xs" w="100%">
        {children}
        <ActionIcon aria-label={removeLabel} onClick={onRemove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </Group>
      {error !== undefined && <Input.Error>{error}</Input.Error>}
    </>
  )
}

interface CellProps {
  readonly label: string
  readonly value: string
  readonly hasError: boolean
  readonly onChange: (value: string) => void
}

function Cell({ label, value, hasError, onChange }: CellProps) {
  return (
    <TextInput
      {...codeInputProps}
      flex="1 1 8rem"
      aria-label={label}
      placeholder={label}
      value={value}
      error={hasError}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}
