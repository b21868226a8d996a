import {
  type BackupTarget,
  type BackupTargetAddress,
  type BackupTargetInput,
  type BackupTargetSecrets,
  createBackupTarget,
  editBackupTarget,
  listBackupTargets,
  testBackupTarget,
} from '@innkeeper/contract/backups/backup-targets'
import { Refusal } from '@innkeeper/contract/errors/refusals'
import { z } from 'zod/mini'
import { useApiMutation } from '../../../api/use-action.ts'
import { refetchOrThrow, useApiQuery } from '../../../api/use-api.ts'
import { type Saved, useSaveForm } from '../../../forms/use-save-form.ts'
import { schemaErrors } from '../../../forms/validation.ts'
import { type TranslationKey, useT } from '../../../i18n/i18n.tsx'
import { useConfirm } from '../../../ui/overlays/confirm.ts'
import { toast } from '../../../ui/toasts/toast.tsx'

/** A target as the dialog edits it. */
export interface TargetForm {
  readonly name: string
  readonly type: BackupTargetAddress['type']
  readonly host: string
  readonly port: number
  readonly user: string
  readonly path: string
  /** Empty until it was confirmed. */
  readonly hostKey: string
  readonly endpoint: string
  readonly bucket: string
  readonly region: string
  readonly usesPathStyle: boolean
  readonly url: string
  readonly certificates: string
  readonly password: string
  readonly privateKey: string
  readonly accessKey: string
  readonly secretKey: string
}

export const targetLabels: Readonly<Record<keyof TargetForm, TranslationKey>> = {
  name: 'common.Name',
  type: 'common.Type',
  host: 'docker.PortHost',
  port: 'backup-targets.Port',
  user: 'common.Username',
  path: 'files.Path',
  hostKey: 'backup-targets.HostKey',
  endpoint: 'backup-targets.Url',
  bucket: 'backup-targets.Bucket',
  region: 'backup-targets.Region',
  usesPathStyle: 'backup-targets.PathStyle',
  url: 'backup-targets.Url',
  certificates: 'backup-targets.Certificates',
  password: 'common.Password',
  privateKey: 'backup-targets.PrivateKey',
  accessKey: 'backup-targets.AccessKey',
  secretKey: 'backup-targets.SecretKey',
}

const secrets = ['password', 'privateKey', 'accessKey', 'secretKey'] as const satisfies readonly (keyof TargetForm)[]

const empty: TargetForm = {
  name: '',
  type: 'sftp',
  host: '',
  port: 22,
  user: '',
  path: '',
  hostKey: '',
  endpoint: '',
  bucket: '',
  region: '',
  usesPathStyle: true,
  url: '',
  certificates: '',
  password: '',
  privateKey: '',
  accessKey: '',
  secretKey: '',
}

function toSaved(target: BackupTarget | null): Saved<TargetForm> {
  if (!target) return { values: empty }
  const { name, address, version } = target
  // Older nodes have no versions.
  return { values: { ...empty, name, ...address }, version }
}

function toAddress(values: TargetForm): BackupTargetAddress {
  const { host, port, user, path, hostKey, endpoint, bucket, region, usesPathStyle, url, certificates } = values
  switch (values.type) {
    case 'sftp':
      return { type: 'sftp', host, port, user, path, hostKey }
    case 's3':
      return { type: 's3', endpoint, bucket, path, region, usesPathStyle, certificates }
    case 'rest':
      return { type: 'rest', url, user, certificates }
  }
}

/** The secrets that were entered; without any, the stored ones are kept. */
function toSecrets(values: TargetForm): BackupTargetSecrets | undefined {
  const entered = secrets.map((field) => [field, values[field]] as const).filter(([, text]) => text !== '')
  return entered.length > 0 ? Object.fromEntries(entered) : undefined
}

function toInput(values: TargetForm): BackupTargetInput {
  const entered = toSecrets(values)
  return { name: values.name, address: toAddress(values), ...(entered && { secrets: entered }) }
}

interface TargetFormOptions {
  readonly node: number
  /** `null` for a new one. */
  readonly target: BackupTarget | null
  /** `isClean` is false when edits were made during the save. */
  readonly onSaved: (isClean: boolean) => void
}

/** The form of the dialog that adds or edits a target. */
export function useTargetForm({ node, target, onSaved }: TargetFormOptions) {
  const t = useT()
  const query = useApiQuery(listBackupTargets, { params: { id: node } })
  const invalidates = [listBackupTargets]
  const create = useApiMutation(createBackupTarget, { invalidates })
  const edit = useApiMutation(editBackupTarget, { invalidates })
  const test = useApiMutation(testBackupTarget, { invalidates })
  const { findHostKey, isAsking } = useConfirmedHostKey(node)
  const getLabel = (field: keyof TargetForm) => t(targetLabels[field])
  /** Whether the host of the values has a host key that was confirmed, or needs none. */
  const confirmHostKey = async (values: TargetForm): Promise<boolean> => {
    const hostKey = await findHostKey(values)
    if (hostKey !== undefined) form.set({ hostKey })
    return hostKey !== undefined
  }
  const testTarget = async (values: TargetForm) => {
    const hostKey = await findHostKey(values)
    if (hostKey === undefined) return
    form.set({ hostKey })
    const { address, secrets: entered } = toInput({ ...values, hostKey })
    const body = { address, ...(entered && { secrets: entered }), ...(target && { id: target.id }) }
    await test.mutateAsync({ params: { id: node }, body })
    toast.success(t('backup-targets.Works'))
  }
  const form = useSaveForm<TargetForm>({
    id: `node-${node}-backup-target-${target?.id ?? 'new'}`,
    saved: toSaved(target),
    secrets,
    // Save also closes the dialog when nothing was edited.
    allowUnchanged: true,
    getLabel,
    validate: (values) => {
      const { address, name } = toInput(values)
      const options = { t, getLabel }
      // The host key is asked for when the form is sent.
      const checked = address.type === 'sftp' ? { ...address, hostKey: address.hostKey || 'ssh-ed25519 AAAA' } : address
      return {
        ...schemaErrors<TargetForm>(createBackupTarget.body.shape.address, checked, options),
        ...schemaErrors<TargetForm>(z.pick(createBackupTarget.body, { name: true }), { name }, options),
      }
    },
    confirm: ({ values }) => confirmHostKey(values),
    reload: async () => {
      const current = (await refetchOrThrow(query)).targets.find(({ id }) => id === target?.id)
      if (!current) throw new Refusal('ErrNotFound')
      return toSaved(current)
    },
    send: async ({ values, version }) => {
      const body = toInput(values)
      if (target) await edit.mutateAsync({ params: { id: node, target: target.id }, body }, { version })
      else await create.mutateAsync({ params: { id: node }, body })
    },
    onSaved: (_, isClean) => onSaved(isClean),
  })
  return { form, isBusy: form.isSaving || isAsking, onTest: () => void form.submitWith(testTarget) }
}

/**
 * `findHostKey` resolves with the host key of SFTP: the one in the values, or that of the host, after a question;
 * `undefined` when the user does not trust it. Other types have none.
 */
function useConfirmedHostKey(node: number) {
  const t = useT()
  const confirm = useConfirm()
  const { mutateAsync, isPending } = useApiMutation(testBackupTarget)
  const findHostKey = async ({ type, host, port, user, path, hostKey }: TargetForm): Promise<string | undefined> => {
    if (type !== 'sftp' || hostKey !== '') return hostKey
    const body = { address: { type, host, port, user, path } }
    const found = await mutateAsync({ params: { id: node }, body })
    if (found.type !== 'hostKey') return undefined
    const isConfirmed = await confirm({
      title: t('backup-targets.HostKeyQuestion', { host }),
      body: t('backup-targets.HostKeyBody', { fingerprint: found.fingerprint }),
      action: t('backup-targets.Trust'),
      danger: false,
    })
    return isConfirmed ? found.hostKey : undefined
  }
  return { findHostKey, isAsking: isPending }
}
