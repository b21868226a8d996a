import type { SettingValues } from '@innkeeper/contract/settings/settings'
import { mailgun } from './mailgun.ts'
import { mailjet } from './mailjet.ts'
import type { Provider } from './provider.ts'
import { smtp } from './smtp.ts'

/** Base URLs of the mail services. */
export interface ProviderUrls {
  readonly mailgun: string
  readonly mailjet: string
}

export const defaultProviderUrls: ProviderUrls = {
  mailgun: 'https://api.mailgun.net',
  mailjet: 'https://api.mailjet.com',
}

/** The configured provider; `undefined` when there is none. */
export function findProvider(settings: SettingValues, services: ProviderUrls): Provider | undefined {
  switch (settings['panel.email.provider']) {
    case 'none':
      return undefined
    case 'smtp':
      return smtp
    case 'mailgun':
      return mailgun(services.mailgun)
    case 'mailjet':
      return mailjet(services.mailjet)
  }
}
