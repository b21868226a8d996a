import { Box, Button, Flex, Select, Stack, Text } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { type ColorScheme, colorSchemes, useColorSchemePreference } from '../../features/appearance/color-scheme.tsx'
import { useThemes } from '../../features/appearance/use-themes.ts'
import { maxFontSize, minFontSize, useConsolePreferences } from '../../features/console/preferences.ts'
import { useLanguage } from '../../features/language/use-language.ts'
import { AccountClients } from '../../features/oauth-clients/clients.tsx'
import { accountSections } from '../../features/sections/page-sections.ts'
import { useSignOut } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { languageName, locales } from '../../i18n/locale.ts'
import { useFormatters } from '../../i18n/use-formatters.ts'
import { usePreference } from '../../session/preferences.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { SectionNav, useScrollToSection } from '../../ui/layout/section-nav.tsx'
import { AccountSection, FormGrid } from './account-section.tsx'
import { DetailsSection } from './details.tsx'
import { Passkeys } from './passkeys.tsx'
import { PasswordSection } from './password.tsx'
import { Sessions } from './sessions.tsx'
import { SshKeys } from './ssh-keys.tsx'
import { TwoFactor } from './two-factor.tsx'

/** The account of the signed-in user: details, authentication and preferences. */
export function AccountScreen() {
  const t = useT()
  const { scopes } = useSession()
  useScrollToSection(true)

  return (
    <Page type="wideForm">
      <PageHeader title={t('shell.Account')} />
      <Flex direction={{ base: 'column', lg: 'row' }} gap={{ base: 'md', lg: 'xl' }}>
        <Box flex="none" w={{ lg: '12.5rem' }}>
          <AccountNav />
        </Box>
        <Stack flex={1} miw={0}>
          {scopes.length === 0 && (
            <Alert type="info">
              <Text inherit fw={600}>
                {t('users.NoAccessYet')}
              </Text>
              {t('register.DoneHow')}
            </Alert>
          )}
          <DetailsSection />
          <PasswordSection />
          <Passkeys />
          <TwoFactor />
          <section
            id="clients"
            aria-label={t('oauth.Title')}
            tabIndex={-1}
            data-quiet-focus
            style={{ scrollMarginBlockStart: '1rem' }}
          >
            <AccountClients />
          </section>
          <SshKeys />
          <Sessions />
          <AppearanceSection />
          <ShortcutsSection />
          <SignOutButton />
        </Stack>
      </Flex>
    </Page>
  )
}

/** Elsewhere, the navigation has it. */
function SignOutButton() {
  const t = useT()
  const signOut = useSignOut()
  return (
    <Button
      variant="default"
      hiddenFrom="sm"
      leftSection={<IconLogout size={17} aria-hidden data-flip />}
      onClick={signOut}
    >
      {t('shell.SignOut')}
    </Button>
  )
}

/** Links to the sections of the account page. */
function AccountNav() {
  const t = useT()
  return (
    <SectionNav
      label={t('account.Sections')}
      sections={accountSections.map(({ id, name, Icon }) => ({ id, title: t(name), Icon }))}
    />
  )
}

/** In pixels. */
const fontSizes = Array.from({ length: maxFontSize - minFontSize + 1 }, (_, index) => minFontSize + index)
const shortcutModes = ['all', 'modifier', 'off'] as const

function AppearanceSection() {
  const t = useT()
  const { scheme, setScheme } = useColorSchemePreference()
  const { available, current, setPreferred } = useThemes()
  const { locale, setLanguage } = useLanguage()
  const { number } = useFormatters()
  const { preferences, change } = useConsolePreferences(false)
  return (
    <AccountSection id="appearance" title={t('shell.Appearance')}>
      <FormGrid>
        <Select
          label={t('account.Scheme')}
          value={scheme}
          data={colorSchemes.map((value) => ({ value, label: t(`account.Scheme_${value}`) }))}
          onChange={(value) => setScheme(value as ColorScheme)}
        />
        {available.length > 1 && (
          <Select
            label={t('shell.Theme')}
            value={current ?? null}
            data={[...available]}
            onChange={(value) => value && setPreferred(value)}
          />
        )}
        <Select
          label={t('account.ConsoleText')}
          value={String(preferences.fontSize)}
          data={fontSizes.map((size) => ({ value: String(size), label: t('account.Pixels', { size: number(size) }) }))}
          onChange={(value) => change({ fontSize: Number(value) })}
        />
        <Select
          label={t('language.Title')}
          value={locale}
          data={locales.map((value) => ({ value, label: languageName(value) }))}
          onChange={(value) => {
            if (value) void setLanguage(value)
          }}
        />
      </FormGrid>
    </AccountSection>
  )
}

function ShortcutsSection() {
  const t = useT()
  const [shortcuts, setShortcuts] = usePreference('shortcuts')
  return (
    <AccountSection id="shortcuts" title={t('account.Shortcuts')}>
      <FormGrid>
        <Select
          label={t('common.KeyboardShortcuts')}
          description={t('hotkeys.Note')}
          value={shortcutModes.find((mode) => mode === shortcuts) ?? 'all'}
          data={shortcutModes.map((value) => ({ value, label: t(`account.Shortcuts_${value}`) }))}
          onChange={(value) => setShortcuts(value ?? 'all')}
        />
      </FormGrid>
    </AccountSection>
  )
}
