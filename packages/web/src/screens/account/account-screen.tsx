import { Button, Select } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useScheme } from '../../features/appearance/scheme.tsx'
import { largestFont, smallestFont, useConsoleView } from '../../features/console/preferences.ts'
import { locales, nameOf } from '../../i18n/locale.ts'
import { useFormats, useLocale, useText } from '../../i18n/text.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import { Page, PageHead } from '../../ui/page.tsx'
import { Card } from '../../ui/small.tsx'
import classes from './account-screen.module.css'

const schemes = ['auto', 'light', 'dark'] as const
/** What a console's text measures until a person chooses. */
const usualFont = 13
const fonts = Array.from({ length: largestFont - smallestFont + 1 }, (_, at) => smallestFont + at)
const shortcutChoices = ['all', 'modifier', 'off'] as const

/** Who is logged in, and how the panel looks and listens for them. */
export function AccountScreen() {
  const text = useText()
  const { self, logOut } = useSession()
  const scheme = useScheme()
  const { locale, choose } = useLocale()
  const { number } = useFormats()
  const { view, change } = useConsoleView(false)
  const [shortcuts, setShortcuts] = usePreference('shortcuts')

  return (
    <Page kind="form">
      <PageHead
        title={text('account.Title')}
        actions={
          <Button variant="default" leftSection={<IconLogout size={17} aria-hidden data-flip />} onClick={logOut}>
            {text('shell.LogOut')}
          </Button>
        }
      />
      <Part title={text('account.Details')}>
        <dl className={classes.details}>
          <div>
            <dt>{text('account.Username')}</dt>
            <dd>
              <bdi>{self?.username ?? '…'}</bdi>
            </dd>
          </div>
          <div>
            <dt>{text('account.Email')}</dt>
            <dd dir="ltr">{self?.email ?? '…'}</dd>
          </div>
        </dl>
      </Part>
      <Part title={text('account.Appearance')}>
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
          value={locale}
          data={locales.map((value) => ({ value, label: nameOf(value) }))}
          onChange={(value) => {
            if (value) void choose(value)
          }}
        />
      </Part>
      <Part title={text('account.Shortcuts')}>
        <Select
          label={text('account.ShortcutsHow')}
          description={text('hotkeys.Note')}
          inputWrapperOrder={['label', 'input', 'description']}
          value={shortcutChoices.find((one) => one === shortcuts) ?? 'all'}
          data={shortcutChoices.map((value) => ({ value, label: text(`account.Shortcuts_${value}`) }))}
          onChange={(value) => setShortcuts(value ?? 'all')}
        />
      </Part>
    </Page>
  )
}

function Part({ title, children }: { title: string; children: ReactNode }) {
  return (
    <Card className={classes.part ?? ''}>
      <h2>{title}</h2>
      <div className={classes.fields}>{children}</div>
    </Card>
  )
}
