import { z } from 'zod/mini'
import { endpoint } from '../api/endpoint.ts'

/** Public keys for SFTP logins of a user. */

export const SshKey = z.object({
  id: z.string(),
  name: z.string(),
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa` ... */
  algorithm: z.string(),
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  fingerprint: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  usedAt: z.optional(z.string()),
})
export type SshKey = z.infer<typeof SshKey>

/** The user's own keys, newest first. */
export const listSshKeys = endpoint('GET', '/api/self/sshkeys', {
  access: 'user',
  isForSetUp: true,
  response: z.array(SshKey),
})

/**
 * Adds a public key in the format of a `.pub` file. The default name is the comment of the key. ErrSshKeyInvalid for an
 * invalid or weak key (RSA below 2048 bits, DSA) and for a compressed point, ErrDuplicateSshKey, ErrTooMany, and ErrInvalidCredentials when the
 * account's password is wrong.
 */
export const addSshKey = endpoint('POST', '/api/self/sshkeys', {
  access: 'user',
  audit: 'account.key.add',
  body: z.strictObject({
    name: z.optional(z.string().check(z.maxLength(100))),
    key: z.string().check(z.minLength(1), z.maxLength(16_384)),
    /** Required, unless the account has no password: then a recent sign-in is (ErrPasswordRequired). */
    password: z.optional(z.string().check(z.minLength(1), z.maxLength(1024))),
  }),
  response: SshKey,
})

/** Also ends SFTP sessions that were opened with the key. */
export const removeSshKey = endpoint('DELETE', '/api/self/sshkeys/:id', {
  access: 'recentUser',
  audit: 'account.key.remove',
  params: z.object({ id: z.string().check(z.maxLength(64)) }),
})
