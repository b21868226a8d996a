import { Box, Button, Flex, Stack, Text } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { AccountClients } from '../../features/oauth-clients/clients.tsx'
import { accountSections } from '../../features/sections/page-sections.ts'
import { useSignOut } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { useSession } from '../../session/session.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { Page, PageHeader } from '../../ui/layout/page.tsx'
import { SectionNav, useScrollToSection } from '../../ui/layout/section-nav.tsx'
import { DetailsSection } from './details.tsx'
import { PasswordSection } from './password.tsx'
import { AppearanceSection, ShortcutsSection } from './preferences.tsx'
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
