import type { AlertChannel } from '@innkeeper/contract/alerts/alerts'
import { isAdmin } from '@innkeeper/contract/api/permissions'
import { getServerPermissions, readTagKeys } from '../access/access.ts'
import type { AlertChannelRow, Database } from '../database/schema.ts'
import { grantsOfAll } from '../database/users.ts'

/** A channel with its owner, and why it does not send. */
export interface OwnedChannel extends Pick<AlertChannel, 'owner' | 'paused'> {
  readonly row: AlertChannelRow
}

/** Why a paused channel did not get a message. */
export const pausedAnswer = 'The channel is paused: its owner may not have it any more.'

/**
 * Finds the owners of channels. A channel is paused when its owner may not have it any more: a channel of administrators
 * needs an administrator, one of a server a user who may edit the server. Channels without an owner are never paused.
 */
export async function withOwners(db: Database, rows: readonly AlertChannelRow[]): Promise<OwnedChannel[]> {
  const ids = [...new Set(rows.flatMap(({ owner_id }) => owner_id ?? []))]
  if (ids.length === 0) return rows.map((row) => ({ row }))
  const users = await db.selectFrom('users').select(['id', 'username']).where('id', 'in', ids).execute()
  const permissions = await db.selectFrom('server_users').selectAll().where('user_id', 'in', ids).execute()
  const getGrants = await grantsOfAll(db, ids)
  const servers = [...new Set(rows.flatMap(({ server_id }) => server_id ?? []))]
  const tags = await readTagKeys(db, servers, ids.map(getGrants))

  return rows.map((row) => {
    if (row.owner_id === null) return { row }
    const owner = users.find(({ id }) => id === row.owner_id)
    if (!owner) return { row, paused: 'ownerDeleted' }
    const grants = getGrants(owner.id)
    const here = permissions.find(({ user_id, server_id }) => user_id === owner.id && server_id === row.server_id)
    const mayHave =
      row.server_id === null
        ? isAdmin(grants.scopes)
        : getServerPermissions(
            grants,
            { id: row.server_id, tagKeys: tags(row.server_id), isSuspended: false },
            here?.rights ?? null,
          ).has('editServerData')
    return { row, owner, ...(mayHave ? {} : { paused: 'ownerLacksPermission' as const }) }
  })
}

/** The channels that are turned on, and whose owner may still have them. */
export async function activeChannels(on: Database): Promise<AlertChannelRow[]> {
  const enabled = await on.selectFrom('alert_channels').selectAll().where('is_enabled', '=', 1).execute()
  return (await withOwners(on, enabled)).filter(({ paused }) => !paused).map(({ row }) => row)
}
