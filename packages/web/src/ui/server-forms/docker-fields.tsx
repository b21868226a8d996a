import { commandUses, defaultContainerRoot, dockerDefaults, networkModes } from '@innkeeper/contract/definitions/docker'
import { anyHost, portProtocols } from '@innkeeper/contract/definitions/port-binding'
import { ActionIcon, Fieldset, Group, Input, Select, Stack, Switch, Text, TextInput } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { Fragment, type ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { codeInputProps } from '../fields/code-input.ts'
import { AddButton } from '../layout/add-button.tsx'
import { nextId } from '../lists/row-ids.ts'
import {
  type BindingRow,
  type DockerForm,
  type FolderRow,
  hasNetwork,
  newPort,
  type PortRow,
  type TmpfsRow,
} from './docker-form.ts'

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
        label={t('docker.CommandAs')}
        data={commandUses.map((use) => ({ value: use, label: t(`docker.CommandAs_${use}`) }))}
        value={form.commandAs}
        allowDeselect={false}
        onChange={(use) => onChange({ commandAs: commandUses.find((known) => known === use) ?? 'replace' })}
      />
      <TextInput
        {...codeInputProps}
        label={t('docker.ContainerRoot')}
        placeholder={defaultContainerRoot}
        value={form.containerRoot}
        error={getError('containerRoot')}
        onChange={(event) => onChange({ containerRoot: event.currentTarget.value })}
      />
      <Folders form={form} onChange={onChange} getError={getError} />
      <Switch
        label={t('docker.ImageUser')}
        checked={form.isImageUser}
        onChange={(event) => onChange({ isImageUser: event.currentTarget.checked })}
      />
      <Switch
        label={t('docker.ReadOnlyRoot')}
        checked={form.isRootReadOnly}
        onChange={(event) => onChange({ isRootReadOnly: event.currentTarget.checked })}
      />
      <Tmpfs form={form} onChange={onChange} getError={getError} />
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

function Folders({ form: { folders }, onChange, getError }: DockerFieldsProps) {
  const t = useT()
  return (
    <Rows
      rows={folders}
      legend={t('docker.Folders')}
      description={t('docker.FoldersHelp')}
      cells={[
        ['containerPath', t('docker.ContainerPath')],
        ['folder', t('docker.ServerFolder')],
      ]}
      getError={(id) => getError(`folder-${id}`)}
      addLabel={t('docker.AddFolder')}
      getRemoveLabel={(number) => t('docker.RemoveFolder', { number })}
      newRow={{ id: nextId(folders), containerPath: '', folder: '' }}
      onChange={(rows) => onChange({ folders: rows })}
    />
  )
}

function Tmpfs({ form: { tmpfs }, onChange, getError }: DockerFieldsProps) {
  const t = useT()
  return (
    <Rows
      rows={tmpfs}
      legend={t('docker.Tmpfs')}
      description={t('docker.TmpfsHelp', { example: '100m' })}
      cells={[
        ['containerPath', t('docker.ContainerPath')],
        ['size', t('files.Size')],
      ]}
      getError={(id) => getError(`tmpfs-${id}`)}
      addLabel={t('docker.AddTmpfs')}
      getRemoveLabel={(number) => t('docker.RemoveTmpfs', { number })}
      newRow={{ id: nextId(tmpfs), containerPath: '', size: '' }}
      onChange={(rows) => onChange({ tmpfs: rows })}
    />
  )
}

function Bindings({ form: { bindings }, onChange, getError }: DockerFieldsProps) {
  const t = useT()
  return (
    <Rows
      rows={bindings}
      legend={t('docker.Bindings')}
      description={t('docker.BindingsHelp')}
      cells={[
        ['hostPath', t('docker.HostPath')],
        ['containerPath', t('docker.ContainerPath')],
      ]}
      getError={(id) => getError(`binding-${id}`)}
      addLabel={t('docker.AddBinding')}
      getRemoveLabel={(number) => t('docker.RemoveBinding', { number })}
      newRow={{ id: nextId(bindings), hostPath: '', containerPath: '' }}
      onChange={(rows) => onChange({ bindings: rows })}
    />
  )
}

function Ports({ form: { ports, otherPorts }, onChange, getError }: DockerFieldsProps) {
  const t = useT()
  const { list } = useFormatters()
  return (
    <Rows
      rows={ports}
      legend={t('docker.Ports')}
      description={t('docker.PortsHelp', { ip: anyHost, port: '${port}' })}
      cells={[
        ['host', t('docker.PortHost')],
        ['outside', t('docker.PortOutside')],
        ['inside', t('docker.PortInside')],
      ]}
      getError={(id) => getError(`port-${id}`)}
      addLabel={t('docker.AddPort')}
      getRemoveLabel={(number) => t('docker.RemovePort', { number })}
      newRow={newPort(ports)}
      onChange={(rows) => onChange({ ports: rows })}
      renderEnd={(row, change) => (
        <Select
          flex="0 1 6.5rem"
          aria-label={t('docker.PortProtocol')}
          data={[...portProtocols]}
          value={row.protocol}
          onChange={(protocol) => change({ ...row, protocol: protocol === 'udp' ? 'udp' : 'tcp' })}
        />
      )}
    >
      {otherPorts.length > 0 && <Text c="dimmed">{t('docker.OtherPorts', { list: list(otherPorts) })}</Text>}
    </Rows>
  )
}

interface RowsProps<R> {
  readonly rows: readonly R[]
  readonly legend: string
  readonly description: string
  /** The inputs of a row. */
  readonly cells: readonly (readonly [field: keyof R & string, label: string])[]
  readonly getError: (id: number) => string | undefined
  readonly addLabel: string
  readonly getRemoveLabel: (number: number) => string
  readonly newRow: R
  readonly onChange: (rows: readonly R[]) => void
  /** Another control at the end of a row. */
  readonly renderEnd?: (row: R, onChange: (row: R) => void) => ReactNode
  /** Below the rows. */
  readonly children?: ReactNode
}

/** Rows of inputs that the user adds and removes. */
function Rows<R extends BindingRow | FolderRow | PortRow | TmpfsRow>(props: RowsProps<R>) {
  const { rows, legend, description, cells, getError, addLabel, getRemoveLabel, newRow, onChange, renderEnd } = props
  return (
    <Fieldset variant="unstyled" mx={0} legend={legend} miw={0}>
      <Stack gap="xs" align="flex-start">
        <Text c="dimmed">{description}</Text>
        {rows.map((row, index) => {
          const error = getError(row.id)
          return (
            <Fragment key={row.id}>
              <Group gap="xs" w="100%">
                {cells.map(([field, label]) => (
                  <TextInput
                    key={field}
                    {...codeInputProps}
                    flex="1 1 8rem"
                    aria-label={label}
                    placeholder={label}
                    value={String(row[field])}
                    error={error !== undefined}
                    onChange={(event) => onChange(rows.with(index, { ...row, [field]: event.currentTarget.value }))}
                  />
                ))}
                {renderEnd?.(row, (changed) => onChange(rows.with(index, changed)))}
                <ActionIcon
                  aria-label={getRemoveLabel(index + 1)}
                  onClick={() => onChange(rows.filter(({ id }) => id !== row.id))}
                >
                  <IconX size={16} aria-hidden />
                </ActionIcon>
              </Group>
              {error !== undefined && <Input.Error>{error}</Input.Error>}
            </Fragment>
          )
        })}
        {props.children}
        <AddButton onClick={() => onChange([...rows, newRow])}>{addLabel}</AddButton>
      </Stack>
    </Fieldset>
  )
}
