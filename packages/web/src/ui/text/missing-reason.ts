import { type Capability, noQuotasCodes } from '@innkeeper/contract/nodes/nodes'
import type { TFunction } from '../../i18n/i18n.tsx'
import { translateReason } from './reason-text.ts'

/** Why a node does not enforce something, in the language of the user where the node sends a code. */
export function missingReason(t: TFunction, { reason = '', code, values }: Omit<Capability, 'enforced'>): string {
  const known = noQuotasCodes.find((noQuotasCode) => noQuotasCode === code)
  if (!known) return translateReason(t, reason)
  const { type = '', mountPoint = '', message = '' } = values ?? {}
  return t(`nodes.NoQuotas_${known}`, { type, mountPoint, message })
}
