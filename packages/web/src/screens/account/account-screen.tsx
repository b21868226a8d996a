import { Box, Button, Flex, Stack } from '@mantine/core'
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
    <Page type="wizard">
      <PageHeader
        title={t('account.Title')}
        actions={
          <Button variant="default" leftSection={<IconLogout size={17} aria-hidden data-flip />} onClick={logOut}>
            {t('shell.LogOut')}
          </Button>
        }
      />
      <Flex gap="xl">
        <Box visibleFrom="lg" w="12.5rem" flex="none">
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
