import { Button, Select } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { useScheme } from '../../features/appearance/scheme.tsx'
import { largestFont, smallestFont, useConsoleView } from '../../features/console/preferences.ts'
import { useLanguage } from '../../features/language/use-language.ts'
import { AccountClients } from '../../features/oauth-clients/clients.tsx'
import { useLogOut } from '../../forms/unsaved-changes.tsx'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { languageName, locales } from '../../i18n/locale.ts'
import { usePreference } from '../../session/preferences.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import classes from './account-screen.module.css'
import { Details } from './details.tsx'
import { Part } from './part.tsx'
import { PasswordPart } from './password.tsx'
import { Sections } from './sections.tsx'
import { Sessions } from './sessions.tsx'
import { SshKeys } from './ssh-keys.tsx'
import { TwoFactor } from './two-factor.tsx'

const schemes = ['auto', 'light', 'dark'] as const
/** What a console's text measures until a person chooses. */
const usualFont = 13
const fonts = Array.from({ length: largestFont - smallestFont + 1 }, (_, index) => smallestFont + index)
const shortcutChoices = ['all', 'modifier', 'off'] as const

/** Who is logged in, how they prove it, and how the panel looks and listens for them. */
export function AccountScreen() {
  const t = useT()
  const logOut = useLogOut()

  return (
    <Page type="wizard">
      <PageHeader
        title={t('account.Title')}
        actions={
          <Button variant="default" leftSection={<IconLogout size={17} aria-hidden data-flip />} onClick={logOut}>
            {t('shell.LogOut')}
          </Button>
        }
      />
      <div className={classes.account}>
        <Sections />
        <div className={classes.parts}>
          <Details />
          <PasswordPart />
          <TwoFactor />
          <section id="clients" className={classes.part} aria-label={t('oauth.Title')} tabIndex={-1} data-quiet-focus>
            <AccountClients />
          </section>
          <SshKeys />
          <Sessions />
          <Appearance />
          <Shortcuts />
        </div>
      </div>
    </Page>
  )
}

function Appearance() {
  const t = useT()
  const scheme = useScheme()
  const { locale, choose } = useLanguage()
  const { number } = useFormatters()
  const { view, change } = useConsoleView(false)
  return (
    <Part id="appearance" title={t('account.Appearance')}>
      <div className={classes.fields}>
        <Select
          label={t('account.Scheme')}
          value={scheme.chosen}
          data={schemes.map((value) => ({ value, label: t(`account.Scheme_${value}`) }))}
          onChange={(value) => scheme.choose(schemes.find((one) => one === value) ?? 'auto')}
        />
        <Select
          label={t('account.ConsoleText')}
          value={String(view.fontSize ?? usualFont)}
          data={fonts.map((size) => ({ value: String(size), label: t('account.Pixels', { size: number(size) }) }))}
          onChange={(value) => change({ fontSize: Number(value) })}
        />
        <Select
          label={t('language.Title')}
          allowDeselect={false}
          value={locale}
          data={locales.map((value) => ({ value, label: languageName(value) }))}
          onChange={(value) => {
            if (value) void choose(value)
          }}
        />
      </div>
    </Part>
  )
}

function Shortcuts() {
  const t = useT()
  const [shortcuts, setShortcuts] = usePreference('shortcuts')
  return (
    <Part id="shortcuts" title={t('account.Shortcuts')}>
      <div className={classes.fields}>
        <Select
          label={t('account.ShortcutsHow')}
          description={t('hotkeys.Note')}
          value={shortcutChoices.find((one) => one === shortcuts) ?? 'all'}
          data={shortcutChoices.map((value) => ({ value, label: t(`account.Shortcuts_${value}`) }))}
          onChange={(value) => setShortcuts(value ?? 'all')}
        />
      </div>
    </Part>
  )
}
