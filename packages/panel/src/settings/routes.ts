import { getConfig, type PanelConfig } from '@innkeeper/contract/panel'
import * as calls from '@innkeeper/contract/settings'
import type { Serve } from '../access/serve.ts'
import { versionOf } from '../access/versions.ts'
import type { MailService } from '../mail/mail.ts'
import type { SettingsService } from './settings.ts'

interface Needs {
  readonly settings: SettingsService
  readonly config: () => Promise<PanelConfig>
  readonly mail: Pick<MailService, 'test'>
}

export function settingsRoutes(serve: Serve, { settings, config, mail }: Needs): void {
  serve(getConfig, () => config())
  serve(calls.listSettings, async ({ versions }) => {
    const all = await settings.list()
    versions.tell(versionOf(all))
    return all
  })
  serve(calls.getSetting, ({ params }) => settings.get(params.key))
  serve(calls.putSetting, ({ caller, params, body, acting }) => settings.put(caller, params.key, body.value, acting))
  serve(calls.postSettings, ({ caller, body, versions, acting }) => {
    acting.about({ target: Object.keys(body).join(', ') })
    return settings.store(caller, body, acting, versions.seen)
  })
  serve(calls.sendTestMail, ({ caller, body }) => mail.test(body.to ?? caller.email, caller.userId))
}
