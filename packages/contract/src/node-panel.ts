import { z } from 'zod'
import { call } from './call.ts'
import { limits } from './limits.ts'

import { ServerId } from './names.ts'
import { NodeFeatures, NodeMachine } from './nodes.ts'
import { serverRights } from './permissions.ts'
import { ServerUsage } from './servers.ts'

/**
 * What a node asks of the panel. It shows a token that it signed with its own key (`access: 'node'`), and learns only
 * what concerns its own servers.
 */

/** How somebody wants to log in over SFTP. The node checks signatures of keys itself; the panel knows whose a key is. */
export const SftpLogin = z.strictObject({
  /** As the client sent it: `email#serverId`. */
  user: z.string().max(limits.emailMax + 20),
  /** Where the client is. */
  address: z.string().max(100),
  with: z.discriminatedUnion('method', [
    z.strictObject({ method: z.literal('password'), password: z.string().max(1024) }),
    /** The public key as it goes over the wire, base64. `isSigned` once the client proved that it has the private one. */
    z.strictObject({ method: z.literal('key'), key: z.string().max(16_384), isSigned: z.boolean() }),
    /** The password again, with the code of the authenticator or a recovery code. */
    z.strictObject({ method: z.literal('passwordAndCode'), password: z.string().max(1024), code: z.string().max(64) }),
  ]),
})
export type SftpLogin = z.infer<typeof SftpLogin>

/** What an open SFTP session stands on; it ends when the panel no longer confirms it. */
export const SftpGrant = z.object({
  userId: z.number(),
  server: ServerId,
  /** Stands for the credential that was shown: it changes with password, two-factor and keys. */
  stamp: z.string().max(200),
})
export type SftpGrant = z.infer<typeof SftpGrant>

const Rights = z.array(z.enum(serverRights))

/**
 * Whether somebody may log in: ErrInvalidCredentials, ErrTooManyRequests, ErrServiceNotAvailable. `codeNeeded` after a
 * right password of a person with two-factor, who goes on with `passwordAndCode`.
 */
export const sftpLogin = call({
  method: 'POST',
  path: '/api/node/sftp/login',
  access: 'node',
  body: SftpLogin,
  answer: z.discriminatedUnion('is', [
    z.object({ is: z.literal('granted'), grant: SftpGrant, rights: Rights, username: z.string() }),
    z.object({ is: z.literal('codeNeeded') }),
  ]),
})

/** The rights that open sessions have now, in the order asked; `null` for one that must end. */
export const sftpRights = call({
  method: 'POST',
  path: '/api/node/sftp/rights',
  access: 'node',
  body: z.strictObject({ grants: z.array(SftpGrant).max(limits.sftpSessions) }),
  answer: z.object({ rights: z.array(Rights.nullable()) }),
})

/** What each person may do on a server now, in the order asked; `null` for one who may not even see it. */
export const taskRights = call({
  method: 'POST',
  path: '/api/node/tasks/rights',
  access: 'node',
  body: z.strictObject({
    people: z.array(z.strictObject({ userId: z.number().int(), server: ServerId })).max(limits.taskPeopleAsked),
  }),
  answer: z.object({ rights: z.array(Rights.nullable()) }),
})

/** How a node that was just set up joins: who it is from now on, proven with the secret of its deployment. */
export const Enrolment = z.strictObject({
  nodeId: z.number().int().min(1),
  /** The public Ed25519 key it will sign with, base64url. */
  key: z.string().regex(/^[\w-]{43}$/),
  /** The certificate it made for itself, PEM; empty when it has one that its name proves. */
  certificate: z.string().max(16_384),
  /** Something that it never used before. */
  nonce: z.string().min(16).max(64),
  /** HMAC-SHA-256 of `enrolmentText` by the secret, base64url. The secret itself never travels. */
  proof: z.string().max(64),
})
export type Enrolment = z.infer<typeof Enrolment>

/** What an enrolment is proven over. */
export const enrolmentText = ({ nodeId, key, certificate, nonce }: Omit<Enrolment, 'proof'>): string =>
  JSON.stringify(['node', nodeId, key, certificate, nonce])

/** What the panel's answer is proven over, so that nobody else can pretend to be it. */
export const enrolledText = (nonce: string): string => JSON.stringify(['panel', nonce])

/** ErrTokenInvalid for any other secret, and for one with which another key has joined. */
export const enrolNode = call({
  method: 'POST',
  path: '/api/node/enrol',
  access: 'public',
  body: Enrolment,
  answer: z.object({ proof: z.string() }),
})

/** What a node tells of itself, every `limits.nodeReportEveryMs` and when a server's state changes. */
export const NodeReport = z.object({
  /** Epoch milliseconds by its clock. */
  atMs: z.int().min(0),
  features: NodeFeatures,
  machine: NodeMachine,
  servers: z.array(ServerUsage),
  /** The names of the keys of the panel that it believes. */
  keys: z.array(z.string().max(50)).max(20).optional(),
})
export type NodeReport = z.infer<typeof NodeReport>

export const reportNode = call({
  method: 'POST',
  path: '/api/node/report',
  access: 'node',
  body: NodeReport,
  /** Epoch milliseconds by the panel's clock, and a `KeyStatement` signed with each key by which a node may know it. */
  answer: z.object({ atMs: z.number(), keys: z.array(z.string()).optional() }),
})
