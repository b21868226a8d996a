import { environmentTypeOf } from '@innkeeper/contract/definition'
import type { Text } from '../i18n/text.tsx'

/** What people call an environment; its type where we do not know it. */
export function environmentName(text: Text, type: string): string {
  const kind = environmentTypeOf({ type })
  return kind === undefined ? type : text(`add-server.Environment_${kind}`)
}
