import { z } from 'zod/mini'
import { FileChange } from '../activity/file-changes.ts'
import { endpoint } from '../api/endpoint.ts'
import { knownItems } from '../api/known-items.ts'
import { requiredPermissions } from '../api/permissions.ts'
import { BackupRetention } from '../backups/backup-retention.ts'
import { NodeFeatures, NodeMachine, Port } from '../nodes/nodes.ts'
import { ReportedUsage } from '../servers/servers.ts'
import { ServerSuspension } from '../servers/suspension.ts'
import { limits } from '../text/limits.ts'
import { ServerId } from '../text/server-id.ts'
import { NodeAlerts } from './node-alerts.ts'
import { NodeEvent } from './node-events.ts'

/**
 * Endpoints of the panel for nodes. The node authenticates with a token signed by its own key (`access: 'node'`), and
 * gets only data about its own servers.
 */

/** An SFTP login attempt. The node verifies signatures of keys; the panel knows the owner of each key. */
export const SftpLogin = z.object({
  /** As sent by the client: `email#serverId`. */
  user: z.string().check(z.maxLength(limits.emailMax + 20)),
  /** IP address of the client. */
  address: z.string().check(z.maxLength(100)),
  with: z.discriminatedUnion('method', [
    z.object({ method: z.literal('password'), password: z.string().check(z.maxLength(1024)) }),
    /**
     * The public key in SSH wire format, base64. `isSigned` when the client has proved that it owns the private key.
     */
    z.object({ method: z.literal('key'), key: z.string().check(z.maxLength(16_384)), isSigned: z.boolean() }),
    /** The password again, with an authenticator or recovery code. */
    z.object({
      method: z.literal('passwordAndCode'),
      password: z.string().check(z.maxLength(1024)),
      code: z.string().check(z.maxLength(64)),
    }),
  ]),
})
export type SftpLogin = z.infer<typeof SftpLogin>

/** Credentials of an open SFTP session. The session ends when the panel no longer confirms them. */
export const SftpGrant = z.object({
  userId: z.number(),
  server: ServerId,
  /** Fingerprint of the credential: it changes with the password, the two-factor setup and the keys. */
  stamp: z.string().check(z.maxLength(200)),
})
export type SftpGrant = z.infer<typeof SftpGrant>

const Permissions = knownItems(z.enum(requiredPermissions))

/**
 * Authenticates an SFTP login: ErrInvalidCredentials, ErrTooManyRequests, ErrServiceNotAvailable. `codeNeeded` after
 * the right password of a user with two-factor, who continues with `passwordAndCode`.
 */
export const sftpLogin = endpoint('POST', '/api/node/sftp/login', {
  access: 'node',
  audit: 'server.sftp.login',
  body: SftpLogin,
  response: z.discriminatedUnion('is', [
    z.object({ is: z.literal('granted'), grant: SftpGrant, rights: Permissions, username: z.string() }),
    z.object({ is: z.literal('codeNeeded') }),
  ]),
})

/** Current permissions of open sessions, in the order of the request; `null` for a session that must end. */
export const getSftpPermissions = endpoint('POST', '/api/node/sftp/rights', {
  access: 'node',
  audit: false,
  body: z.object({ grants: z.array(SftpGrant).check(z.maxLength(limits.sftpSessions)) }),
  response: z.object({ rights: z.array(z.nullable(Permissions)) }),
})

/**
 * Current permissions of users on a server, in the order of the request; `null` for a user who may not see the server.
 */
export const getTaskPermissions = endpoint('POST', '/api/node/tasks/rights', {
  access: 'node',
  audit: false,
  body: z.object({
    people: z.array(z.object({ userId: z.int(), server: ServerId })).check(z.maxLength(limits.taskUsersPerRequest)),
  }),
  response: z.object({ rights: z.array(z.nullable(Permissions)) }),
})

/** How a new node joins: it registers its identity and proves that it knows the secret of its deployment. */
export const Enrolment = z.object({
  nodeId: z.int().check(z.minimum(1)),
  /** The public Ed25519 key of the node, base64url. */
  key: z.string().check(z.regex(/^[\w-]{43}$/)),
  /** The self-signed certificate of the node, PEM; empty when it has one from a certificate authority. */
  certificate: z.string().check(z.maxLength(16_384)),
  /** A random value, used once. */
  nonce: z.string().check(z.minLength(16), z.maxLength(64)),
  /** HMAC-SHA-256 of `enrolmentText` with the secret, base64url. The secret itself is not sent. */
  proof: z.string().check(z.maxLength(64)),
})
export type Enrolment = z.infer<typeof Enrolment>

/** The text that the node's proof covers. */
export const enrolmentText = ({ nodeId, key, certificate, nonce }: Omit<Enrolment, 'proof'>): string =>
  JSON.stringify(['node', nodeId, key, certificate, nonce])

/** The text that the panel's proof covers, so that no one can impersonate the panel. */
export const enrolledText = (nonce: string): string => JSON.stringify(['panel', nonce])

/** ErrTokenInvalid for a wrong secret, and for one that another key has already used. */
export const enrolNode = endpoint('POST', '/api/node/enrol', {
  access: 'public',
  audit: 'node.join',
  body: Enrolment,
  response: z.object({ proof: z.string() }),
})

/** How a machine with a join token becomes a node: it registers itself, and proves that it knows the token. */
export const NodeJoin = z.object({
  tokenId: z.string().check(z.maxLength(50)),
  /** The name of its host. */
  name: z.string().check(z.maxLength(255)),
  key: Enrolment.shape.key,
  certificate: Enrolment.shape.certificate,
  /** Where it listens for panels, and for SFTP. */
  port: Port,
  sftpPort: Port,
  nonce: Enrolment.shape.nonce,
  /** HMAC-SHA-256 of `nodeJoinText` with the secret part of the token, base64url. */
  proof: Enrolment.shape.proof,
})
export type NodeJoin = z.infer<typeof NodeJoin>

/** The text that the proof of a joining machine covers. */
export const nodeJoinText = (join: Omit<NodeJoin, 'proof'>): string => {
  const { tokenId, name, key, certificate, port, sftpPort, nonce } = join
  return JSON.stringify(['join', tokenId, name, key, certificate, port, sftpPort, nonce])
}

/** ErrTokenInvalid for a token that is wrong, expired, used up or revoked. */
export const joinNode = endpoint('POST', '/api/node/join', {
  access: 'public',
  audit: 'node.join',
  body: NodeJoin,
  response: z.object({ nodeId: z.int(), proof: z.string() }),
})

/**
 * The version of the messages between panel and node. It grows with a change that the other side cannot ignore; then
 * `oldestProtocol` says which version is still understood.
 */
export const protocol = 1
export const oldestProtocol = 1

/** Whether the other side speaks a protocol that this one understands. Without a number it is the first. */
export const understandsProtocol = (other: number | undefined): boolean => (other ?? 1) >= oldestProtocol

/** A status report of a node, sent every `limits.nodeReportEveryMs` and when the state of a server changes. */
export const NodeReport = z.object({
  protocol: z.optional(z.int()),
  /** Epoch milliseconds, by the node's clock. */
  atMs: z.int().check(z.minimum(0)),
  features: NodeFeatures,
  machine: NodeMachine,
  servers: knownItems(ReportedUsage),
  /** IDs of the panel's signing keys that the node trusts. */
  keys: z.optional(knownItems(z.string().check(z.maxLength(50)), 20)),
  /** Events that the panel has not accepted yet, oldest first; `null` for one of a type that this panel does not know. */
  events: z.optional(z.array(z.catch(z.nullable(NodeEvent), null)).check(z.maxLength(limits.nodeEventsPerReport))),
  /** Changes over SFTP that the panel has not recorded yet, oldest first; `null` for one that this panel does not know. */
  fileChanges: z.optional(
    z.array(z.catch(z.nullable(FileChange), null)).check(z.maxLength(limits.fileChangesPerReport)),
  ),
  /** The suspended servers of the node. Older nodes do not suspend. */
  suspensions: z.optional(knownItems(ServerSuspension)),
  /** The version of `NodeAlerts` that the node has, or empty. Absent when it never sends alerts itself. */
  alerts: z.optional(z.string().check(z.maxLength(100))),
})
export type NodeReport = z.infer<typeof NodeReport>

export const reportNode = endpoint('POST', '/api/node/report', {
  access: 'node',
  audit: false,
  /** A `NodeReport`. The handler parses it, because it records a node whose report it does not understand. */
  body: z.looseObject({}),
  /**
   * Epoch milliseconds by the panel's clock, a `SignedKeySet` for each signing key that the node may trust, the number
   * of accepted events and of recorded changes, the alert channels of the node if they have changed, the retention of backups for servers
   * without their own, with its source: that of the node, or of the panel, and the suspensions that differ from those of
   * the report. `needsTunnel` when this panel does not reach the node, which should open a tunnel.
   */
  response: z.object({
    protocol: z.optional(z.int()),
    atMs: z.number(),
    keys: z.optional(z.array(z.string())),
    events: z.optional(z.number()),
    fileChanges: z.optional(z.number()),
    alerts: z.catch(z.optional(NodeAlerts), undefined),
    backupRetention: z.catch(z.optional(z.object(BackupRetention.shape)), undefined),
    backupRetentionSource: z.catch(z.optional(z.enum(['node', 'panel'])), undefined),
    suspensions: z.catch(z.optional(knownItems(ServerSuspension)), undefined),
    needsTunnel: z.catch(z.optional(z.boolean()), undefined),
  }),
})
