import {
  type BackupTarget,
  type BackupTargetAddress,
  type BackupTargetInput,
  type BackupTargetSecrets,
  createBackupTarget,
  editBackupTarget,
  listBackupTargets,
  testBackupTarget,
} from '@innkeeper/contract/backup-targets'
import { useApiMutation } from '../../../api/use-api-mutation.ts'
import { useSubmitForm } from '../../../forms/use-submit-form.ts'
import { schemaErrors } from '../../../forms/validation.ts'
import { useT } from '../../../i18n/i18n.tsx'
import type { TranslationKey } from '../../../i18n/translation-key.ts'
import { useConfirm } from '../../../ui/confirm.ts'
import { toast } from '../../../ui/toast.tsx'

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

/** From top to bottom. The host key has no input of its own. */
const fields: readonly (keyof TargetForm)[] = [
  ...(['name', 'type', 'host', 'endpoint', 'url', 'bucket', 'user', 'path', 'region', 'port'] as const),
  ...(['password', 'accessKey', 'secretKey', 'privateKey', 'usesPathStyle', 'certificates'] as const),
]

const empty: TargetForm = {
  ...{ name: '', type: 'sftp', host: '', port: 22, user: '', path: '', hostKey: '' },
  ...{ endpoint: '', bucket: '', region: '', usesPathStyle: true, url: '', certificates: '' },
  ...{ password: '', privateKey: '', accessKey: '', secretKey: '' },
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
function toSecrets({ password, privateKey, accessKey, secretKey }: TargetForm): BackupTargetSecrets | undefined {
  const entered = Object.entries({ password, privateKey, accessKey, secretKey }).filter(([, text]) => text !== '')
  return entered.length > 0 ? Object.fromEntries(entered) : undefined
}

function toInput(values: TargetForm): BackupTargetInput {
  const secrets = toSecrets(values)
  return { name: values.name, address: toAddress(values), ...(secrets && { secrets }) }
}

interface TargetFormOptions {
  readonly node: number
  /** `null` for a new one. */
  readonly target: BackupTarget | null
  readonly onSaved: () => void
}

/** The form of the dialog that adds or edits a target. */
export function useTargetForm({ node, target, onSaved }: TargetFormOptions) {
  const t = useT()
  const confirm = useConfirm()
  const invalidates = [listBackupTargets]
  const create = useApiMutation(createBackupTarget, { silent: true, invalidates })
  const edit = useApiMutation(editBackupTarget, { silent: true, invalidates })
  const test = useApiMutation(testBackupTarget, { silent: true, invalidates })
  const getLabel = (field: keyof TargetForm) => t(targetLabels[field])
  /** Asks to confirm the host key of SFTP, unless it was confirmed. Returns the values with it; undefined if refused. */
  const withHostKey = async (values: TargetForm): Promise<TargetForm | undefined> => {
    const { type, host, port, user, path, hostKey } = values
    if (type !== 'sftp' || hostKey !== '') return values
    const body = { address: { type, host, port, user, path } }
    const found = await test.mutateAsync({ params: { id: node }, body })
    if (found.type !== 'hostKey') return undefined
    const isConfirmed = await confirm({
      title: t('backup-targets.HostKeyQuestion', { host }),
      body: t('backup-targets.HostKeyBody', { fingerprint: found.fingerprint }),
      action: t('backup-targets.Trust'),
    })
    if (!isConfirmed) return undefined
    form.set({ hostKey: found.hostKey })
    return { ...values, hostKey: found.hostKey }
  }
  const save = async (values: TargetForm) => {
    const confirmed = await withHostKey(values)
    if (!confirmed) return
    const body = toInput(confirmed)
    if (target) await edit.mutateAsync({ params: { id: node, target: target.id }, body })
    else await create.mutateAsync({ params: { id: node }, body })
    onSaved()
  }
  const tryOut = async (values: TargetForm) => {
    const confirmed = await withHostKey(values)
    if (!confirmed) return
    const { address, secrets } = toInput(confirmed)
    const body = { address, ...(secrets && { secrets }), ...(target && { id: target.id }) }
    await test.mutateAsync({ params: { id: node }, body })
    toast.success(t('backup-targets.Works'))
  }
  const form = useSubmitForm<TargetForm>({
    fields,
    getLabel,
    send: save,
    initialValues: target ? { ...empty, name: target.name, ...target.address } : empty,
    validate: (values) => {
      const { address, ...rest } = toInput(values)
      const options = { t, getLabel }
      // The host key is asked for when the form is sent.
      const checked = address.type === 'sftp' ? { ...address, hostKey: address.hostKey || 'ssh-ed25519 AAAA' } : address
      return {
        ...schemaErrors<TargetForm>(createBackupTarget.body.shape.address, checked, options),
        ...schemaErrors<TargetForm>(createBackupTarget.body.pick({ name: true }), { name: rest.name }, options),
      }
    },
  })
  return { form, onTest: form.onSubmitTo(tryOut) }
}
