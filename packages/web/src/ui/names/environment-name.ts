import { findEnvironmentType } from '@innkeeper/contract/definitions/definition'
import type { TFunction } from '../../i18n/i18n.tsx'

/** What people call an environment; its type where we do not know it. */
export function environmentName(t: TFunction, type: string): string {
  const kind = findEnvironmentType({ type })
  return kind === undefined ? type : t(`add-server.Environment_${kind}`)
}
