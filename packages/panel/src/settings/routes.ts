import { getConfig, type PanelConfig } from '@innkeeper/contract/panel'
import { Refusal } from '@innkeeper/contract/refusals'
import * as calls from '@innkeeper/contract/settings'
import type { Serve } from '../access/serve.ts'
import { versionOf } from '../access/versions.ts'
import type { MailService } from '../mail/mail.ts'
import type { SettingsService } from './settings.ts'

interface Needs {
  readonly settings: SettingsService
  readonly config: () => Promise<PanelConfig>
  readonly themes: { names(): Promise<readonly string[]> }
  readonly mail: Pick<MailService, 'test'>
}

export function settingsRoutes(serve: Serve, { settings, themes, config, mail }: Needs): void {
  const expectTheme = async (name: unknown) => {
    if (!name || (await themes.names()).includes(String(name))) return
    throw new Refusal('ErrFieldInvalid', { field: 'panel.settings.defaultTheme' })
  }
  serve(getConfig, () => config())
  serve(calls.listSettings, async ({ versions }) => {
    const all = await settings.list()
    versions.tell(versionOf(all))
    return all
  })
  serve(calls.getSetting, ({ params }) => settings.get(params.key))
  serve(calls.putSetting, async ({ caller, params, body, acting }) => {
    if (params.key === 'panel.settings.defaultTheme') await expectTheme(body.value)
    return settings.put(caller, params.key, body.value, acting)
  })
  serve(calls.postSettings, async ({ caller, body, versions, acting }) => {
    await expectTheme(body['panel.settings.defaultTheme'])
    acting.about({ target: Object.keys(body).join(', ') })
    return settings.store(caller, body, acting, versions.seen)
  })
  serve(calls.sendTestMail, ({ caller, body }) => mail.test(body.to ?? caller.email, caller.userId))
}
