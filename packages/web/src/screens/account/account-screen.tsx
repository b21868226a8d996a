import { ActionIcon, Box, Flex, Stack } from '@mantine/core'
import { IconLogout } from '@tabler/icons-react'
import { AccountClients } from '../../features/oauth-clients/clients.tsx'
import { useLogOut } from '../../forms/unsaved-changes.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { Page, PageHeader } from '../../ui/page.tsx'
import { AccountNav } from './account-nav.tsx'
import { DetailsSection } from './details.tsx'
import { PasswordSection } from './password.tsx'
import { AppearanceSection, ShortcutsSection } from './preferences.tsx'
import { Sessions } from './sessions.tsx'
import { SshKeys } from './ssh-keys.tsx'
import { TwoFactor } from './two-factor.tsx'

/** The account of the signed-in user: details, authentication and preferences. */
export function AccountScreen() {
  const t = useT()
  const logOut = useLogOut()

  return (
    <Page type="wideForm">
      <PageHeader
        title={t('account.Title')}
        phoneActions={
          <ActionIcon size={44} aria-label={t('shell.LogOut')} onClick={logOut}>
            <IconLogout size={22} aria-hidden data-flip />
          </ActionIcon>
        }
      />
      <Flex direction={{ base: 'column', lg: 'row' }} gap={{ base: 'md', lg: 'xl' }}>
        <Box flex="none" w={{ lg: '12.5rem' }}>
          <AccountNav />
        </Box>
        <Stack flex={1} miw={0}>
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
        </Stack>
      </Flex>
    </Page>
  )
}
