import { findEnvironmentType, getEnvironments, type Template } from '@innkeeper/contract/definitions/definition'
import { comparePreference } from '@innkeeper/contract/nodes/node-room'
import { canRunIn, canRunTemplate, getUnmetSystem, isSupported } from '@innkeeper/contract/nodes/node-support'
import type { NodeChoice } from '@innkeeper/contract/nodes/nodes'
import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { isUnavailable, unavailableReason } from '../../ui/text/node-availability.ts'
import type { ServerDraft } from './draft.ts'

/** Why a node cannot run the template in an environment; `undefined` when it can. */
export function getUnsupportedReason(
  t: TFunction,
  template: Template,
  type: string,
  node: NodeChoice,
): string | undefined {
  if (canRunIn(template, type, node.features)) return undefined
  if (isSupported(type, node.features)) return t('errors.ErrDockerNotSupported')
  const environmentType = findEnvironmentType({ type })
  if (environmentType === undefined) return t('errors.ErrUnknownEnvironment', { type })
  return environmentType === 'docker' ? t('errors.ErrDockerNotSupported') : t('add-server.EnvironmentUnsupported')
}

/** Why a server of the template cannot be created on a node; `undefined` when it can. */
export function getUnsuitableReason(
  t: TFunction,
  formatters: Pick<Formatters, 'anyOf' | 'dateTime'>,
  template: Template,
  node: NodeChoice,
): string | undefined {
  const unavailable = unavailableReason(t, formatters, node)
  if (unavailable !== undefined) return unavailable
  if (!node.online) return t('add-server.NodeOffline')
  const unmet = getUnmetSystem(template, node.features)
  if (!unmet) return undefined
  const { type, actual, alternatives } = unmet
  const key = type === 'os' ? 'errors.ErrUnsupportedOS' : 'errors.ErrUnsupportedArch'
  return t(key, { actual, expected: formatters.anyOf(alternatives) })
}

/**
 * The node that is selected at first: the only one, or the preferred one of those that can run the template. `undefined` when
 * none has reported its room.
 */
export function proposeNode(template: Template, available: readonly NodeChoice[]): NodeChoice | undefined {
  if (available.length === 1) return available[0]
  const candidates = available.flatMap((node) =>
    node.room && canRunTemplate(template, node.features) ? [{ node, name: node.name, room: node.room }] : [],
  )
  return candidates.toSorted(comparePreference)[0]?.node
}

/** Online nodes that take a server of the template. */
export function getAvailable(template: Template, nodes: readonly NodeChoice[]): readonly NodeChoice[] {
  return nodes.filter((node) => node.online && !isUnavailable(node) && !getUnmetSystem(template, node.features))
}

/**
 * Selects the proposed node and the default environment, and clears selections that are not available any more.
 * Returns the same draft when nothing changes.
 */
export function completeTarget(draft: ServerDraft, template: Template, nodes: readonly NodeChoice[]): ServerDraft {
  const available = getAvailable(template, nodes)
  const node = available.find(({ id }) => id === draft.node) ?? proposeNode(template, available)
  const supported = getEnvironments(template).flatMap(({ type }) =>
    node && canRunIn(template, type, node.features) ? [type] : [],
  )
  const environment = [draft.environment, template.environment?.type, supported[0]].find(
    (type) => type !== undefined && supported.includes(type),
  )
  if (node?.id === draft.node && environment === draft.environment) return draft
  const { node: _, environment: __, ...rest } = draft
  return { ...rest, ...(node && { node: node.id }), ...(environment !== undefined && { environment }) }
}
