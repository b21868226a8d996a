import { findEnvironmentType } from '@innkeeper/contract/definitions/definition'
import type { TFunction } from '../../i18n/i18n.tsx'

/** The common name of an environment; its type where it is unknown. */
export function environmentName(t: TFunction, type: string): string {
  const kind = findEnvironmentType({ type })
  return kind === undefined ? type : t(`add-server.Environment_${kind}`)
}
