import {
  findEnvironmentType,
  getEnvironments,
  needsContainers,
  type Template,
} from '@innkeeper/contract/definitions/definition'
import type { NodeChoice } from '@innkeeper/contract/nodes/nodes'
import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'
import { isUnavailable, unavailableReason } from '../../ui/text/node-availability.ts'
import type { ServerDraft } from './draft.ts'
import { getUnmetSystem, isSupported } from './requirements.ts'

/** Whether a node can run the template in an environment; its install script may need containers in any of them. */
function canRun(template: Template, type: string, node: NodeChoice): boolean {
  return isSupported(type, node) && (!needsContainers(template, { type }) || isSupported('docker', node))
}

/** Why a node cannot run the template in an environment; `undefined` when it can. */
export function getUnsupportedReason(
  t: TFunction,
  template: Template,
  type: string,
  node: NodeChoice,
): string | undefined {
  if (canRun(template, type, node)) return undefined
  if (isSupported(type, node)) return t('errors.ErrDockerNotSupported')
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
 * Selects the only available node and the default environment, and clears selections that are not available any more.
 * Returns the same draft when nothing changes.
 */
export function completeTarget(draft: ServerDraft, template: Template, nodes: readonly NodeChoice[]): ServerDraft {
  const online = nodes.filter((node) => node.online && !isUnavailable(node) && !getUnmetSystem(template, node.features))
  const node = online.find(({ id }) => id === draft.node) ?? (online.length === 1 ? online[0] : undefined)
  const supported = getEnvironments(template).flatMap(({ type }) =>
    node && canRun(template, type, node) ? [type] : [],
  )
  const environment = [draft.environment, template.environment?.type, supported[0]].find(
    (type) => type !== undefined && supported.includes(type),
  )
  if (node?.id === draft.node && environment === draft.environment) return draft
  const { node: _, environment: __, ...rest } = draft
  return { ...rest, ...(node && { node: node.id }), ...(environment !== undefined && { environment }) }
}
