import { z } from 'zod/mini'
import { endpoint, etag, ifMatch, nodeEndpoint } from '../api/endpoint.ts'
import { OnNode } from '../api/params.ts'
import { ReportedError } from '../errors/refusal-envelope.ts'
import { limits } from '../text/limits.ts'

/** Where a node stores backups: one repository of restic per target. */

/** The folder of the node. Always exists. */
export const localTarget = 'local'

export const RemoteTargetId = z.string().check(z.regex(/^[0-9a-f]{8}$/))
export const BackupTargetId = z.union([z.literal(localTarget), RemoteTargetId])

/** The first is where backups are made; the others receive copies. */
export const BackupTargetIds = z.array(BackupTargetId).check(z.minLength(1), z.maxLength(limits.backupTargets))

const Text = z.string().check(z.trim(), z.minLength(1), z.maxLength(limits.backupTargetText))
/** Without characters that the configuration of OpenSSH interprets. */
const SshWord = Text.check(z.regex(/^[^\s"'\\%$#*?!,-][^\s"'\\%$#*?!,]*$/))
const Url = Text.check(
  z.refine((text) => {
    const url = URL.parse(text)
    if (!url || !['http:', 'https:'].includes(url.protocol)) return false
    return url.username === '' && url.password === '' && url.search === '' && url.hash === ''
  }),
)
const Certificates = z
  .string()
  .check(z.trim(), z.maxLength(limits.backupTargetKey), z.regex(/^(-----BEGIN CERTIFICATE-----[\s\S]*)?$/))

/** A public host key of SSH: type and key as in `known_hosts`. */
const HostKey = z
  .string()
  .check(z.trim(), z.maxLength(limits.backupTargetKey), z.regex(/^[a-z0-9@.-]+ [A-Za-z0-9+/]+=*$/))

const SftpAddress = z.strictObject({
  type: z.literal('sftp'),
  host: SshWord,
  port: z._default(z.int().check(z.minimum(1), z.maximum(65_535)), 22),
  user: SshWord,
  /** Absolute, or relative to the home directory. */
  path: Text.check(z.regex(/^[^\p{Cc}]*$/u)),
  /** The key that was confirmed; no other is accepted. */
  hostKey: HostKey,
})

export const BackupTargetAddress = z.discriminatedUnion('type', [
  SftpAddress,
  z.strictObject({
    type: z.literal('s3'),
    /** URL of the service. */
    endpoint: Url,
    bucket: Text.check(z.regex(/^[a-zA-Z0-9._-]+$/)),
    /** Of the repository in the bucket. */
    path: z._default(z.string().check(z.trim(), z.maxLength(limits.backupTargetText), z.regex(/^[^\p{Cc}?#]*$/u)), ''),
    region: z._default(
      z.string().check(z.trim(), z.maxLength(limits.backupTargetText), z.regex(/^[a-zA-Z0-9_-]*$/)),
      '',
    ),
    /** Whether the bucket is in the path of the URL instead of its host name. */
    usesPathStyle: z._default(z.boolean(), true),
    /** PEM of certificates to trust instead of those of the system. */
    certificates: z._default(Certificates, ''),
  }),
  z.strictObject({
    type: z.literal('rest'),
    url: Url,
    user: z._default(z.string().check(z.trim(), z.maxLength(limits.backupTargetText)), ''),
    certificates: z._default(Certificates, ''),
  }),
])
export type BackupTargetAddress = z.infer<typeof BackupTargetAddress>
export const backupTargetTypes = ['sftp', 's3', 'rest'] as const satisfies readonly BackupTargetAddress['type'][]

/** Only sent, never returned. SFTP: password or privateKey. S3: accessKey and secretKey. REST: password. */
export const BackupTargetSecrets = z.strictObject({
  password: z.optional(z.string().check(z.maxLength(limits.backupTargetText), z.regex(/^[^\r\n\0]*$/))),
  /** Of OpenSSH, without passphrase. */
  privateKey: z.optional(z.string().check(z.trim(), z.maxLength(limits.backupTargetKey))),
  accessKey: z.optional(Text),
  secretKey: z.optional(Text),
})
export type BackupTargetSecrets = z.infer<typeof BackupTargetSecrets>

export const BackupTargetInput = z.strictObject({
  name: Text.check(z.maxLength(limits.backupTargetNameMax)),
  address: BackupTargetAddress,
  /** Missing: the ones that are stored, if the host is the same. */
  secrets: z.optional(BackupTargetSecrets),
})
export type BackupTargetInput = z.infer<typeof BackupTargetInput>

/** A target as administrators see it. */
export const BackupTarget = z.object({
  id: RemoteTargetId,
  name: z.string(),
  address: BackupTargetAddress,
  /** Why the last work on it failed. */
  error: z.optional(ReportedError),
  /** For `If-Match`. It does not depend on secrets. Missing from older nodes. */
  version: z.optional(z.string()),
})
export type BackupTarget = z.infer<typeof BackupTarget>

export const NodeBackupTargets = z.object({
  /** Those beside the folder of the node. */
  targets: z.array(BackupTarget),
  /** Where backups of servers go that have no targets of their own. */
  defaults: BackupTargetIds,
  /** The version of `defaults`, for `If-Match`. Missing from older nodes. */
  defaultsVersion: z.optional(z.string()),
})
export type NodeBackupTargets = z.infer<typeof NodeBackupTargets>

/** Without `hostKey` SFTP responds with the key of the host. */
export const BackupTargetTest = z.strictObject({
  /** The target whose stored secrets are used when there are none. */
  id: z.optional(RemoteTargetId),
  address: z.union([BackupTargetAddress, z.omit(SftpAddress, { hostKey: true })]),
  secrets: z.optional(BackupTargetSecrets),
})
export type BackupTargetTest = z.infer<typeof BackupTargetTest>

export const BackupTargetTestResult = z.discriminatedUnion('type', [
  /** An administrator must confirm it before anything is sent. */
  z.object({ type: z.literal('hostKey'), hostKey: z.string(), fingerprint: z.string() }),
  /** The repository could be opened; `isNew`: it was created. */
  z.object({ type: z.literal('ok'), isNew: z.boolean() }),
])
export type BackupTargetTestResult = z.infer<typeof BackupTargetTestResult>

const OnTarget = z.extend(OnNode, { target: RemoteTargetId })
const common = { errorStatuses: [502] }
const changes = { ...common, access: { scope: 'nodes.edit' }, audit: 'node.backup.targets' } as const

/** The targets of a node. Secrets are never returned. */
export const listBackupTargets = endpoint('GET', '/api/nodes/:id/backups/targets', {
  ...common,
  access: { scope: 'nodes.view' },
  params: OnNode,
  response: NodeBackupTargets,
})

/** Adds a target; its repository is created when it is tested or used. */
export const createBackupTarget = endpoint('POST', '/api/nodes/:id/backups/targets', {
  ...changes,
  params: OnNode,
  body: BackupTargetInput,
  response: z.object({ id: RemoteTargetId }),
})

export const editBackupTarget = endpoint('PUT', '/api/nodes/:id/backups/targets/:target', {
  ...changes,
  params: OnTarget,
  body: BackupTargetInput,
  headers: ifMatch,
})

/** Removes the target from all servers. Its repository is kept, but backups that are only there are not listed any more. */
export const deleteBackupTarget = endpoint('DELETE', '/api/nodes/:id/backups/targets/:target', {
  ...changes,
  params: OnTarget,
})

/** Opens the repository, or creates it. ErrBackupFailed has the reason. */
export const testBackupTarget = endpoint('POST', '/api/nodes/:id/backups/test-target', {
  ...changes,
  params: OnNode,
  body: BackupTargetTest,
  response: BackupTargetTestResult,
})

/** Several targets include the folder of the node. */
export const putDefaultBackupTargets = endpoint('PUT', '/api/nodes/:id/backups/default-targets', {
  ...changes,
  params: OnNode,
  body: BackupTargetIds,
  headers: ifMatch,
})

/** Where the backups of a server go. The version of the choice is in `ETag`. */
export const getServerBackupTargets = nodeEndpoint('GET', '/daemon/server/:id/backup/targets/selected', {
  access: { onServer: 'viewServerBackups' },
  response: z.object({
    /** Without the folder of the node. */
    targets: z.array(z.object({ id: RemoteTargetId, name: z.string() })),
    /** Missing when those of the node apply. */
    selected: z.optional(BackupTargetIds),
    defaults: BackupTargetIds,
  }),
  responseHeaders: etag,
})

/** Several targets include the folder of the node. `null`: those of the node. */
export const putServerBackupTargets = nodeEndpoint('PUT', '/daemon/server/:id/backup/targets/selected', {
  access: { onServer: 'admin' },
  audit: 'server.backup.targets',
  body: z.nullable(BackupTargetIds),
  headers: ifMatch,
})
