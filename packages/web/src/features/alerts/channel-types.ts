import type { ChannelType } from '@innkeeper/contract/alerts/alerts'
import { useT } from '../../i18n/i18n.tsx'

const productNames = { webhook: 'Webhook', discord: 'Discord', slack: 'Slack', ntfy: 'ntfy' } as const

/** Returns the name of a type of channel. */
export function useChannelTypeName(): (type: ChannelType) => string {
  const t = useT()
  return (type) => (type === 'mail' ? t('common.Email') : productNames[type])
}
