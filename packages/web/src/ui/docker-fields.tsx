import { dockerDefaults, networkModes } from '@innkeeper/contract/docker'
import { anyHost, portProtocols } from '@innkeeper/contract/port-binding'
import { ActionIcon, Button, Select, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../i18n/i18n.tsx'
import classes from './docker-fields.module.css'
import { type DockerForm, hasNetwork, newPort, nextKey } from './docker-form.ts'

interface DockerFieldsProps {
  readonly form: DockerForm
  readonly onChange: (part: Partial<DockerForm>) => void
  /** What stands against a field, in words, when it is to be shown. */
  readonly problemAt: (field: string) => string | undefined
}

/** What a container is made of: image, network, paths of the node and ports. */
export function DockerFields({ form, onChange, problemAt }: DockerFieldsProps) {
  const t = useT()
  const modes: readonly string[] = networkModes
  const known = modes.includes(form.networkMode) ? modes : [...modes, form.networkMode]
  return (
    <div className={classes.fields}>
      <TextInput
        label={t('docker.Image')}
        description={t('docker.ImageHow', { image: dockerDefaults.image })}
        placeholder={dockerDefaults.image}
        dir="ltr"
        spellCheck={false}
        autoComplete="off"
        classNames={{ input: classes.mono ?? '' }}
        value={form.image}
        error={problemAt('image')}
        onChange={(event) => onChange({ image: event.currentTarget.value })}
      />
      <Select
        label={t('docker.NetworkMode')}
        description={modes.includes(form.networkMode) ? t(`docker.NetworkModeHow_${form.networkMode}`) : undefined}
        data={[...known]}
        value={form.networkMode}
        allowDeselect={false}
        onChange={(mode) => onChange({ networkMode: mode ?? dockerDefaults.networkMode })}
      />
      {hasNetwork(form) && (
        <TextInput
          label={t('docker.NetworkName')}
          dir="ltr"
          spellCheck={false}
          autoComplete="off"
          required={form.networkMode !== 'bridge'}
          value={form.networkName}
          error={problemAt('networkName')}
          onChange={(event) => onChange({ networkName: event.currentTarget.value })}
        />
      )}
      <Bindings form={form} onChange={onChange} problemAt={problemAt} />
      {hasNetwork(form) ? (
        <Ports form={form} onChange={onChange} problemAt={problemAt} />
      ) : (
        <p className={classes.quiet}>{t('docker.NoPorts')}</p>
      )}
    </div>
  )
}

function Bindings({ form: { bindings }, onChange, problemAt }: DockerFieldsProps) {
  const t = useT()
  const edit = (key: number, part: { outside?: string; inside?: string }) =>
    onChange({ bindings: bindings.map((row) => (row.key === key ? { ...row, ...part } : row)) })
  return (
    <fieldset className={classes.group}>
      <legend>{t('docker.Bindings')}</legend>
      <p className={classes.quiet}>{t('docker.BindingsHow')}</p>
      {bindings.map((row, index) => (
        <Row
          key={row.key}
          problem={problemAt(`binding-${row.key}`)}
          remove={t('docker.RemoveBinding', { number: index + 1 })}
          onRemove={() => onChange({ bindings: bindings.filter(({ key }) => key !== row.key) })}
        >
          <Box
            label={t('docker.BindingOutside')}
            value={row.outside}
            isWrong={problemAt(`binding-${row.key}`) !== undefined}
            onChange={(outside) => edit(row.key, { outside })}
          />
          <Box
            label={t('docker.BindingInside')}
            value={row.inside}
            isWrong={problemAt(`binding-${row.key}`) !== undefined}
            onChange={(inside) => edit(row.key, { inside })}
          />
        </Row>
      ))}
      <Add
        label={t('docker.AddBinding')}
        onAdd={() => onChange({ bindings: [...bindings, { key: nextKey(bindings), outside: '', inside: '' }] })}
      />
    </fieldset>
  )
}

function Ports({ form: { ports, otherPorts }, onChange, problemAt }: DockerFieldsProps) {
  const t = useT()
  const edit = (key: number, part: Partial<(typeof ports)[number]>) =>
    onChange({ ports: ports.map((row) => (row.key === key ? { ...row, ...part } : row)) })
  return (
    <fieldset className={classes.group}>
      <legend>{t('docker.Ports')}</legend>
      <p className={classes.quiet}>{t('docker.PortsHow', { ip: anyHost, port: '${port}' })}</p>
      {ports.map((row, index) => {
        const problem = problemAt(`port-${row.key}`)
        const isWrong = problem !== undefined
        return (
          <Row
            key={row.key}
            problem={problem}
            remove={t('docker.RemovePort', { number: index + 1 })}
            onRemove={() => onChange({ ports: ports.filter(({ key }) => key !== row.key) })}
          >
            <Box
              label={t('docker.PortHost')}
              value={row.host}
              isWrong={isWrong}
              onChange={(host) => edit(row.key, { host })}
            />
            <Box
              label={t('docker.PortOutside')}
              value={row.outside}
              isWrong={isWrong}
              onChange={(outside) => edit(row.key, { outside })}
            />
            <Box
              label={t('docker.PortInside')}
              value={row.inside}
              isWrong={isWrong}
              onChange={(inside) => edit(row.key, { inside })}
            />
            <Select
              aria-label={t('docker.PortProtocol')}
              className={classes.narrow ?? ''}
              data={[...portProtocols]}
              value={row.protocol}
              allowDeselect={false}
              onChange={(protocol) => edit(row.key, { protocol: protocol === 'udp' ? 'udp' : 'tcp' })}
            />
          </Row>
        )
      })}
      {otherPorts.length > 0 && (
        <p className={classes.quiet}>{t('docker.OtherPorts', { list: otherPorts.join(', ') })}</p>
      )}
      <Add label={t('docker.AddPort')} onAdd={() => onChange({ ports: [...ports, newPort(ports)] })} />
    </fieldset>
  )
}

interface RowProps {
  readonly problem: string | undefined
  readonly remove: string
  readonly onRemove: () => void
  readonly children: ReactNode
}

function Row({ problem, remove, onRemove, children }: RowProps) {
  return (
    <>
      <div className={classes.row}>
        {children}
        <ActionIcon aria-label={remove} onClick={onRemove}>
          <IconX size={16} aria-hidden />
        </ActionIcon>
      </div>
      {problem !== undefined && <p className={classes.wrong}>{problem}</p>}
    </>
  )
}

interface BoxProps {
  readonly label: string
  readonly value: string
  readonly isWrong: boolean
  readonly onChange: (value: string) => void
}

function Box({ label, value, isWrong, onChange }: BoxProps) {
  return (
    <TextInput
      aria-label={label}
      placeholder={label}
      dir="ltr"
      spellCheck={false}
      autoComplete="off"
      classNames={{ input: classes.mono ?? '' }}
      value={value}
      error={isWrong}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function Add({ label, onAdd }: { label: string; onAdd: () => void }) {
  return (
    <Button size="xs" variant="default" leftSection={<IconPlus size={16} aria-hidden />} onClick={onAdd}>
      {label}
    </Button>
  )
}
