import type { ClientLimits, OAuth2Client } from '@innkeeper/contract/accounts/oauth2'
import type { PanelScope, ServerPermission } from '@innkeeper/contract/api/permissions'
import { fromLocalTime, toLocalTime } from '../../ui/fields/local-time.ts'

/** A client as it is edited. */
export interface ClientDraft {
  readonly name: string
  readonly description: string
  /** Whether it may do only what is listed. */
  readonly isListed: boolean
  readonly permissions: readonly ServerPermission[]
  readonly scopes: readonly PanelScope[]
  /** Whether it may access only some servers. */
  readonly isOfSomeServers: boolean
  readonly servers: readonly string[]
  readonly tags: readonly string[]
  readonly networks: readonly string[]
  /** As a `datetime-local`; empty for never. */
  readonly until: string
  readonly isPaused: boolean
}

export function toDraft({ name = '', description = '', limits = {}, until, isPaused = false }: Partial<OAuth2Client>) {
  const draft: ClientDraft = {
    name,
    description,
    isListed: limits.permissions !== undefined || limits.scopes !== undefined,
    permissions: limits.permissions ?? [],
    scopes: limits.scopes ?? [],
    isOfSomeServers: limits.servers !== undefined || limits.tags !== undefined,
    servers: limits.servers ?? [],
    tags: limits.tags ?? [],
    networks: limits.networks ?? [],
    until: until === undefined ? '' : toLocalTime(until),
    isPaused,
  }
  return draft
}

/** The body of a request. An unchanged end keeps its seconds. */
export function toBody(draft: ClientDraft, saved: Pick<OAuth2Client, 'until'>, server: string | undefined) {
  const { name, description, until } = draft
  const limits = toLimits(draft, server)
  const isSameEnd = saved.until !== undefined && toLocalTime(saved.until) === until
  const end = isSameEnd ? saved.until : until === '' ? undefined : fromLocalTime(until)
  return {
    name: name.trim(),
    description: description.trim(),
    ...(Object.keys(limits).length > 0 && { limits }),
    ...(end !== undefined && { until: end }),
  }
}

function toLimits(draft: ClientDraft, server: string | undefined): ClientLimits {
  const { isListed, permissions, scopes, isOfSomeServers, servers, tags, networks } = draft
  return {
    ...(isListed && { permissions: [...permissions] }),
    ...(isListed && server === undefined && { scopes: [...scopes] }),
    ...(isOfSomeServers && { servers: [...servers], tags: [...tags] }),
    ...(networks.length > 0 && { networks: [...networks] }),
  }
}
