import { getLastBackup, type SettingKey } from '@innkeeper/contract/settings/settings'
import { Button, Switch, Text } from '@mantine/core'
import { useId } from 'react'
import { Trans } from 'react-i18next'
import { useApiQuery } from '../../api/use-api.ts'
import { type TranslationKey, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { DocsLink } from '../../ui/layout/docs-link.tsx'
import { RelativeTime } from '../../ui/text/relative-time.tsx'
import { SettingField } from './setting-field.tsx'
import { getProvider, getSetting, getText, getValue, readOnlyReason } from './setting-values.ts'
import { SettingGrid, SettingsCard } from './settings-card.tsx'
import { type LoadedSettings, useSettingsForm } from './use-settings-form.ts'

const keys = [
  'panel.settings.companyName',
  'panel.settings.masterUrl',
  'panel.registrationEnabled',
  'panel.settings.templateIndex',
] as const
/** The same in all languages. */
const examples = {
  masterUrl: 'http://203.0.113.10:8080',
  templateIndex: 'https://example.org/templates.tar.gz',
}

const labels: Readonly<Partial<Record<SettingKey, TranslationKey>>> = {
  'panel.settings.companyName': 'settings.CompanyName',
  'panel.settings.masterUrl': 'settings.MasterUrl',
  'panel.registrationEnabled': 'settings.Registration',
  'panel.settings.templateIndex': 'settings.TemplateIndex',
}

/** Name and URL of the panel, whether registration is open, and where further templates are listed. */
export function PanelCard({ id, loaded }: { id: string; loaded: LoadedSettings }) {
  const t = useT()
  const labelId = useId()
  const getLabel = (key: SettingKey) => {
    const label = labels[key]
    return label ? t(label) : key
  }
  const state = useSettingsForm({ id, loaded, keys, getLabel })
  const { form, settings, draft, change } = state
  const registrationReason = readOnlyReason(settings, 'panel.registrationEnabled')
  return (
    <SettingsCard id={id} title={t('settings.Panel')} form={form}>
      <SettingGrid>
        <SettingField
          setting="panel.settings.companyName"
          state={state}
          label={getLabel('panel.settings.companyName')}
          description={t('settings.CompanyNameHelp')}
          placeholder="Innkeeper"
        />
        <SettingField
          setting="panel.settings.masterUrl"
          state={state}
          label={getLabel('panel.settings.masterUrl')}
          description={t('settings.MasterUrlHelp')}
          placeholder={examples.masterUrl}
          type="url"
          isCode
        />
      </SettingGrid>
      <Switch
        data-path="panel.registrationEnabled"
        aria-labelledby={labelId}
        label={<span id={labelId}>{getLabel('panel.registrationEnabled')}</span>}
        description={t(registrationReason ?? 'settings.RegistrationHelp')}
        disabled={registrationReason !== undefined}
        checked={getValue(settings, draft, 'panel.registrationEnabled') === true}
        onChange={(event) => change('panel.registrationEnabled', event.currentTarget.checked)}
      />
      <SettingField
        setting="panel.settings.templateIndex"
        state={state}
        label={getLabel('panel.settings.templateIndex')}
        description={
          <>
            {t('settings.TemplateIndexHelp')}{' '}
            <DocsLink to="configuration#templates-to-import">{t('settings.TemplateIndexDocs')}</DocsLink>
          </>
        }
        placeholder={examples.templateIndex}
        type="url"
        isCode
      />
      <LastBackup />
      {isMasterUrlMissing(state) && (
        <Alert
          type="warning"
          role="status"
          action={
            <Button
              size="xs"
              variant="default"
              onClick={() => change('panel.settings.masterUrl', window.location.origin)}
            >
              {t('settings.UseThisAddress', { address: window.location.origin })}
            </Button>
          }
        >
          {t('settings.NoMasterUrl')}
        </Alert>
      )}
    </SettingsCard>
  )
}

/** The age of the last backup, so that a missing one is noticed. */
function LastBackup() {
  const t = useT()
  const { data } = useApiQuery(getLastBackup, {}, { meta: { quiet: true } })
  if (!data) return null
  return (
    <Text c="dimmed" fz="sm">
      {data.lastBackupAt === undefined ? (
        t('settings.NoBackup')
      ) : (
        <Trans i18nKey="settings.LastBackup" components={{ time: <RelativeTime time={data.lastBackupAt} /> }} />
      )}{' '}
      <DocsLink to="backup">{t('first-steps.BackupDocs')}</DocsLink>
    </Text>
  )
}

/** The panel sends emails, but their links have no base URL. */
function isMasterUrlMissing({ settings, draft }: ReturnType<typeof useSettingsForm>): boolean {
  const canChange = !getSetting(settings, 'panel.settings.masterUrl').isFixed
  const provider: string = getProvider(settings, {})
  const sendsEmail = provider !== '' && provider !== 'none'
  return canChange && sendsEmail && getText(settings, draft, 'panel.settings.masterUrl').trim() === ''
}
