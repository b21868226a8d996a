import type { Environment } from '@innkeeper/contract/definitions/definition'
import {
  type CommandUse,
  findNetworkMode,
  getDockerFields,
  type NetworkMode,
} from '@innkeeper/contract/definitions/docker'
import {
  anyHost,
  getPortBinding,
  isPortText,
  type PortBindingParts,
  partsOfPortBinding,
} from '@innkeeper/contract/definitions/port-binding'
import type { RefusalCode } from '@innkeeper/contract/errors/refusals'
import { isSafeKey } from '@innkeeper/contract/text/names'
import isEqual from 'fast-deep-equal'
import { nextId } from '../lists/row-ids.ts'

/** A bind mount: a path on the node that is mounted in the container. */
export interface BindingRow {
  readonly id: number
  readonly hostPath: string
  readonly containerPath: string
}

/** A place in the container that shows a folder of the server. */
export interface FolderRow {
  readonly id: number
  readonly containerPath: string
  readonly folder: string
}

/** A writable file system in memory. */
export interface TmpfsRow {
  readonly id: number
  readonly containerPath: string
  /** In bytes, or with a unit as in `100m`. */
  readonly size: string
}

export interface PortRow extends PortBindingParts {
  readonly id: number
}

/** The values of a container's form. */
export interface DockerForm {
  readonly image: string
  readonly commandAs: CommandUse
  readonly containerRoot: string
  readonly isImageUser: boolean
  readonly isRootReadOnly: boolean
  readonly folders: readonly FolderRow[]
  readonly tmpfs: readonly TmpfsRow[]
  /** An unknown mode stays as it is. */
  readonly networkMode: NetworkMode | string
  readonly networkName: string
  readonly bindings: readonly BindingRow[]
  readonly ports: readonly PortRow[]
  /** Port bindings that the form cannot show, for example ranges. They are kept. */
  readonly otherPorts: readonly string[]
}

export function toDockerForm(environment: Environment): DockerForm {
  const fields = getDockerFields(environment)
  const { image, networkMode, networkName, bindings, portBindings, folders, tmpfs } = fields
  const parsedPorts = portBindings.map((text, id) => ({ text, id, parts: partsOfPortBinding(text) }))
  return {
    image,
    commandAs: fields.commandAs,
    containerRoot: fields.containerRoot,
    isImageUser: fields.user === 'image',
    isRootReadOnly: fields.readOnlyRoot,
    folders: Object.entries(folders).map(([containerPath, folder], id) => ({ id, containerPath, folder })),
    tmpfs: Object.entries(tmpfs).map(([containerPath, size], id) => ({ id, containerPath, size })),
    networkMode: findNetworkMode(networkMode) ?? networkMode,
    networkName,
    bindings: Object.entries(bindings).map(([hostPath, containerPath], id) => ({ id, hostPath, containerPath })),
    ports: parsedPorts.flatMap(({ parts, id }) => (parts ? [{ id, ...parts }] : [])),
    otherPorts: parsedPorts.flatMap(({ parts, text }) => (parts ? [] : [text])),
  }
}

/** Applies the form to the environment. Sets only the fields that differ, and leaves out empty rows. */
export function applyDockerForm(environment: Environment, form: DockerForm): Environment {
  const before = toDockerForm(environment)
  const changed: Environment = { ...environment }
  for (const field of ['image', 'containerRoot', 'networkMode', 'networkName'] as const)
    if (form[field].trim() !== before[field]) changed[field] = form[field].trim()
  if (form.commandAs !== before.commandAs) changed.commandAs = form.commandAs
  if (form.isImageUser !== before.isImageUser) changed.user = form.isImageUser ? 'image' : ''
  if (form.isRootReadOnly !== before.isRootReadOnly) changed.readOnlyRoot = form.isRootReadOnly
  if (!isEqual(toFolders(form), toFolders(before))) changed.folders = toFolders(form)
  if (!isEqual(toTmpfs(form), toTmpfs(before))) changed.tmpfs = toTmpfs(form)
  if (!isEqual(toBindings(form), toBindings(before))) changed.bindings = toBindings(form)
  if (!isEqual(toPortBindings(form), toPortBindings(before))) changed.portBindings = toPortBindings(form)
  return changed
}

/** Whether the network mode has a network name and port bindings. */
export function hasNetwork({ networkMode }: Pick<DockerForm, 'networkMode'>): boolean {
  return networkMode !== 'host' && networkMode !== 'none'
}

/**
 * The errors by field: `image`, `containerRoot`, `networkName`, `folder-<id>`, `tmpfs-<id>`, `binding-<id>`,
 * `port-<id>`.
 */
export function validateDockerForm(form: DockerForm): ReadonlyMap<string, RefusalCode> {
  const errors = new Map<string, RefusalCode>()
  if (/\s/.test(form.image.trim())) errors.set('image', 'ErrFieldInvalid')
  if (form.containerRoot.trim() !== '' && !isPath(form.containerRoot)) errors.set('containerRoot', 'ErrFieldInvalid')
  for (const { id, containerPath, folder } of form.folders) {
    const isEmpty = containerPath.trim() === '' && folder.trim() === ''
    if (!isEmpty && (!isPath(containerPath) || folder.split('/').includes('..')))
      errors.set(`folder-${id}`, 'ErrFieldInvalid')
  }
  for (const { id, containerPath, size } of form.tmpfs) {
    const isEmpty = containerPath.trim() === '' && size.trim() === ''
    if (!isEmpty && !(isPath(containerPath) && /^\d{1,12}[kmg]?$/i.test(size.trim())))
      errors.set(`tmpfs-${id}`, 'ErrFieldInvalid')
  }
  if (['overlay', 'macvlan'].includes(form.networkMode) && form.networkName.trim() === '')
    errors.set('networkName', 'ErrFieldRequired')
  for (const { id, hostPath, containerPath } of form.bindings) {
    const isEmpty = hostPath.trim() === '' && containerPath.trim() === ''
    if (!isEmpty && !(isPath(hostPath) && isPath(containerPath))) errors.set(`binding-${id}`, 'ErrFieldInvalid')
  }
  for (const row of form.ports) {
    const isValid = isPortText(row.outside) && isPortText(row.inside) && partsOfPortBinding(getPortBinding(row))
    if (!isEmptyPort(row) && !isValid) errors.set(`port-${row.id}`, 'ErrFieldInvalid')
  }
  return errors
}

export function newPort(rows: readonly PortRow[]): PortRow {
  return { id: nextId(rows), host: anyHost, outside: '', inside: '', protocol: 'tcp' }
}

/** Whether the text is an absolute path. Paths cannot contain variables. */
function isPath(text: string): boolean {
  return text.trim().startsWith('/') && !text.includes('${') && isSafeKey(text.trim())
}

function isEmptyPort({ outside, inside }: PortRow): boolean {
  return outside.trim() === '' && inside.trim() === ''
}

function toBindings({ bindings }: DockerForm): Record<string, string> {
  const filled = bindings.filter(({ hostPath }) => hostPath.trim() !== '' && isSafeKey(hostPath.trim()))
  return Object.fromEntries(filled.map(({ hostPath, containerPath }) => [hostPath.trim(), containerPath.trim()]))
}

function toFolders({ folders }: DockerForm): Record<string, string> {
  const filled = folders.filter(({ containerPath }) => containerPath.trim() !== '' && isSafeKey(containerPath.trim()))
  return Object.fromEntries(filled.map(({ containerPath, folder }) => [containerPath.trim(), folder.trim()]))
}

function toTmpfs({ tmpfs }: DockerForm): Record<string, string> {
  const filled = tmpfs.filter(({ containerPath }) => containerPath.trim() !== '' && isSafeKey(containerPath.trim()))
  return Object.fromEntries(filled.map(({ containerPath, size }) => [containerPath.trim(), size.trim()]))
}

function toPortBindings({ ports, otherPorts }: DockerForm): string[] {
  return [...ports.filter((row) => !isEmptyPort(row)).map(getPortBinding), ...otherPorts]
}
