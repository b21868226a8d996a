import { z } from 'zod'
import { call } from './call.ts'

/** Public keys with which a person logs in over SFTP. */

export const SshKey = z.object({
  id: z.string(),
  name: z.string(),
  /** `ssh-ed25519`, `ecdsa-sha2-nistp256`, `ssh-rsa` ... */
  algorithm: z.string(),
  /** `SHA256:…`, as `ssh-keygen -l` prints it. */
  fingerprint: z.string(),
  /** ISO 8601. */
  createdAt: z.string(),
  usedAt: z.string().optional(),
})
export type SshKey = z.infer<typeof SshKey>

/** Own keys, the newest first. */
export const listSshKeys = call({
  method: 'GET',
  path: '/api/self/sshkeys',
  access: 'person',
  answer: z.array(SshKey),
})

/**
 * Adds a public key, as it stands in a `.pub` file. Its comment is the name unless one is given. Refused with
 * ErrSshKeyInvalid for what is no public key or too weak (RSA below 2048 bits, DSA), ErrDuplicateSshKey, ErrTooMany,
 * and ErrInvalidCredentials when the account's password is wrong.
 */
export const addSshKey = call({
  method: 'POST',
  path: '/api/self/sshkeys',
  access: 'person',
  body: z.strictObject({
    name: z.string().max(100).optional(),
    key: z.string().min(1).max(16_384),
    password: z.string().min(1).max(1024),
  }),
  answer: SshKey,
})

/** Open SFTP sessions that were opened with it end. */
export const removeSshKey = call({
  method: 'DELETE',
  path: '/api/self/sshkeys/:id',
  access: 'person',
  params: z.object({ id: z.string().max(64) }),
})
