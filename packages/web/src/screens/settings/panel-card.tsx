import { Button, Switch } from '@mantine/core'
import { useId } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { currentOf, heldOf, textIn } from './draft.ts'
import { SettingField } from './setting-field.tsx'
import { SettingsCard } from './settings-card.tsx'
import classes from './settings-screen.module.css'
import { type SavedSettings, useSettingsForm } from './use-settings-form.ts'

const keys = ['panel.settings.companyName', 'panel.settings.masterUrl', 'panel.registrationEnabled'] as const
const labels: Readonly<Record<string, string>> = {
  'panel.settings.companyName': 'settings.CompanyName',
  'panel.settings.masterUrl': 'settings.MasterUrl',
  'panel.registrationEnabled': 'settings.Registration',
}

/** What the panel is called, where it is, and whether people may register. */
export function PanelCard({ id, saved }: { id: string; saved: SavedSettings }) {
  const t = useT()
  const label = useId()
  const labelOf = (key: string) => t(labels[key] ?? key)
  const { held } = saved
  const state = useSettingsForm({ id, saved, keys, labelOf })
  const registration = heldOf(held, 'panel.registrationEnabled')
  const sendsMail = !['', 'none'].includes(textIn(held, {}, 'panel.email.provider'))
  const mayChoose = !heldOf(held, 'panel.settings.masterUrl').isFixed
  const isHomeless = mayChoose && sendsMail && textIn(held, state.draft, 'panel.settings.masterUrl').trim() === ''
  return (
    <SettingsCard id={id} title={t('settings.Panel')} form={state.form}>
      <div className={classes.fields}>
        <SettingField
          setting="panel.settings.companyName"
          held={held}
          state={state}
          label={labelOf('panel.settings.companyName')}
          help={t('settings.CompanyNameHelp')}
          placeholder="Innkeeper"
        />
        <SettingField
          setting="panel.settings.masterUrl"
          held={held}
          state={state}
          label={labelOf('panel.settings.masterUrl')}
          help={t('settings.MasterUrlHelp')}
          type="url"
          isCode
        />
        <Switch
          className={classes.wide ?? ''}
          data-path="panel.registrationEnabled"
          aria-labelledby={label}
          label={<span id={label}>{labelOf('panel.registrationEnabled')}</span>}
          description={t(registration.isFixed ? 'settings.Fixed' : 'settings.RegistrationHelp')}
          disabled={registration.isFixed}
          checked={currentOf(held, state.draft, 'panel.registrationEnabled') === true}
          onChange={(event) => state.change('panel.registrationEnabled', event.currentTarget.checked)}
        />
        {isHomeless && (
          <div className={classes.wide}>
            <Alert type="warning">
              <div className={classes.homeless}>
                <span>{t('settings.NoMasterUrl')}</span>
                <Button
                  size="xs"
                  variant="default"
                  onClick={() => state.change('panel.settings.masterUrl', location.origin)}
                >
                  {t('settings.UseThisAddress', { address: location.origin })}
                </Button>
              </div>
            </Alert>
          </div>
        )}
      </div>
    </SettingsCard>
  )
}
