import { randomBytes } from 'node:crypto'
import { createUser, deleteUser, editUser, putUserPermissions } from '@innkeeper/contract/accounts/users'
import type { GlobalPermission } from '@innkeeper/contract/api/permissions'
import { emailKey, type KnownUser } from './panel-state.ts'
import type { PlanBuilder, PlanInput, PlanStep } from './plan.ts'
import type { ManifestUser } from './schema.ts'

export function planUsers({ manifest, state, userId, prune }: PlanInput, plan: PlanBuilder): void {
  const listed = new Set<string>()
  for (const [email, user] of Object.entries(manifest.users ?? {})) {
    if (listed.has(emailKey(email))) {
      plan.problem(['users', email], 'This address is in the file already.')
      continue
    }
    listed.add(emailKey(email))
    const known = state.users.get(emailKey(email))
    if (known) plan.add('change', `user ${email}`, getChanges(known, user))
    else plan.add('create', `user ${email}`, [getCreation(email, user)])
  }
  if (!prune || !manifest.users) return
  for (const { id, email, username, isEmailConfirmed } of state.users.values()) {
    // Accounts that an export does not have; and the one that makes the changes.
    if (!isEmailConfirmed || listed.has(emailKey(email)) || id === userId) continue
    plan.remove(`user ${email}`, [`username: ${username}`], (client) => client.call(deleteUser, { params: { id } }))
  }
}

function getCreation(email: string, { username, permissions = [] }: ManifestUser): PlanStep {
  return {
    label: '',
    details: [`username: ${username}`, ...(permissions.length > 0 ? [`permissions: ${permissions.join(', ')}`] : [])],
    async run(client) {
      // Random: the user resets it by email, or an operator sets another one.
      const password = randomBytes(32).toString('base64url')
      const { id } = (await client.call(createUser, { body: { username, email, password } })).body
      if (permissions.length === 0) return
      await client.call(putUserPermissions, { params: { id }, body: granted(permissions) })
    },
  }
}

function getChanges(known: KnownUser, { username, permissions }: ManifestUser): readonly PlanStep[] {
  const params = { id: known.id }
  const steps: PlanStep[] = []
  if (username !== known.username) {
    steps.push({
      label: 'username',
      details: [`username: ${known.username} → ${username}`],
      run: (client) => client.call(editUser, { params, body: { username } }, { version: known.version }),
    })
  }
  const lines = permissions ? permissionChanges(known.permissions, permissions) : []
  if (permissions && lines.length > 0) {
    const options = { version: known.permissionsVersion }
    steps.push({
      label: 'permissions',
      details: lines,
      run: (client) => client.call(putUserPermissions, { params, body: granted(permissions) }, options),
    })
  }
  return steps
}

/** A line for what is granted and what is revoked. */
export function permissionChanges(before: readonly string[], after: readonly string[]): readonly string[] {
  const added = after.filter((name) => !before.includes(name))
  const removed = before.filter((name) => !after.includes(name))
  return [
    ...(added.length > 0 ? [`permissions granted: ${added.join(', ')}`] : []),
    ...(removed.length > 0 ? [`permissions revoked: ${removed.join(', ')}`] : []),
  ]
}

const granted = (permissions: readonly GlobalPermission[]) =>
  Object.fromEntries(permissions.map((name) => [name, true])) as Partial<Record<GlobalPermission, boolean>>
