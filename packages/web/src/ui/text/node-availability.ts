import type { NodeAvailability } from '@innkeeper/contract/nodes/node-availability'
import type { Formatters } from '../../i18n/formatters.ts'
import type { TFunction } from '../../i18n/i18n.tsx'

type Time = Pick<Formatters, 'dateTime'>

interface NamedNode {
  readonly name: string
  readonly availability?: NodeAvailability | undefined
}

/** Whether a node takes no new servers. The browser may not have read yet that its maintenance has ended. */
export function isUnavailable({ availability }: Pick<NamedNode, 'availability'>): boolean {
  const { state = 'active', until } = availability ?? {}
  return state !== 'active' && (until === undefined || Date.parse(until) > Date.now())
}

/** An option of a `Select` for a node of a server; disabled, with its state, while it takes none. */
export function nodeOption(t: TFunction, node: NamedNode & { readonly id: number }) {
  const { id, name, availability } = node
  if (!availability || !isUnavailable(node)) return { value: String(id), label: name }
  const state = t(`nodes.Availability_${availability.state}`)
  return { value: String(id), label: t('nodes.NameWithState', { name, state }), disabled: true }
}

/** The maintenance of a node in a sentence: why and until when. `undefined` while there is none. */
export function maintenanceText(t: TFunction, { dateTime }: Time, node: NamedNode): string | undefined {
  const { name, availability } = node
  if (availability?.state !== 'maintenance' || !isUnavailable(node)) return undefined
  const { reason = '', until } = availability
  return until === undefined
    ? t('nodes.MaintenanceOf', { name, reason })
    : t('nodes.MaintenanceOfUntil', { name, time: dateTime(Date.parse(until)), reason })
}

/** Why a node takes no new servers; `undefined` while it does. */
export function unavailableReason(t: TFunction, time: Time, node: NamedNode): string | undefined {
  return node.availability?.state === 'draining' ? t('nodes.TakesNoServers') : maintenanceText(t, time, node)
}
