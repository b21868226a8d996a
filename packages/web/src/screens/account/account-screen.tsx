import { Button, Select } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { useScheme } from '../../features/appearance/scheme.tsx'
import { largestFont, smallestFont, useConsoleView } from '../../features/console/preferences.ts'
import { useLanguage } from '../../features/language/use-language.ts'
import { AccountClients } from '../../features/oauth-clients/clients.tsx'
import { useLogOut } from '../../forms/unsaved-changes.tsx'
import { locales, nameOf } from '../../i18n/locale.ts'
import { useFormats, useText } from '../../i18n/text.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
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
const fonts = Array.from({ length: largestFont - smallestFont + 1 }, (_, at) => smallestFont + at)
const shortcutChoices = ['all', 'modifier', 'off'] as const

/** Who is logged in, how they prove it, and how the panel looks and listens for them. */
export function AccountScreen() {
  const text = useText()
  const logOut = useLogOut()

  return (
    <Page kind="wizard">
      <PageHead
        title={text('account.Title')}
        actions={
          <Button variant="default" leftSection={<IconLogout size={17} aria-hidden data-flip />} onClick={logOut}>
            {text('shell.LogOut')}
          </Button>
        }
      />
      <div className={classes.account}>
        <Sections />
        <div className={classes.parts}>
          <Details />
          <PasswordPart />
          <TwoFactor />
          <section
            id="clients"
            className={classes.part}
            aria-label={text('oauth.Title')}
            tabIndex={-1}
            data-quiet-focus
          >
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
  const text = useText()
  const scheme = useScheme()
  const { locale, choose } = useLanguage()
  const { number } = useFormats()
  const { view, change } = useConsoleView(false)
  return (
    <Part id="appearance" title={text('account.Appearance')}>
      <div className={classes.fields}>
        <Select
          label={text('account.Scheme')}
          value={scheme.chosen}
          data={schemes.map((value) => ({ value, label: text(`account.Scheme_${value}`) }))}
          onChange={(value) => scheme.choose(schemes.find((one) => one === value) ?? 'auto')}
        />
        <Select
          label={text('account.ConsoleText')}
          value={String(view.fontSize ?? usualFont)}
          data={fonts.map((size) => ({ value: String(size), label: text('account.Pixels', { size: number(size) }) }))}
          onChange={(value) => change({ fontSize: Number(value) })}
        />
        <Select
          label={text('language.Title')}
          allowDeselect={false}
          value={locale}
          data={locales.map((value) => ({ value, label: nameOf(value) }))}
          onChange={(value) => {
            if (value) void choose(value)
          }}
        />
      </div>
    </Part>
  )
}

function Shortcuts() {
  const text = useText()
  const [shortcuts, setShortcuts] = usePreference('shortcuts')
  return (
    <Part id="shortcuts" title={text('account.Shortcuts')}>
      <div className={classes.fields}>
        <Select
          label={text('account.ShortcutsHow')}
          description={text('hotkeys.Note')}
          inputWrapperOrder={['label', 'input', 'description']}
          value={shortcutChoices.find((one) => one === shortcuts) ?? 'all'}
          data={shortcutChoices.map((value) => ({ value, label: text(`account.Shortcuts_${value}`) }))}
          onChange={(value) => setShortcuts(value ?? 'all')}
        />
      </div>
    </Part>
  )
}
