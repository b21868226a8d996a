import { Drawer, Group } from '@mantine/core'
import { ThemeButton } from '../features/appearance/theme-button.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { NotificationBell } from '../features/notifications/notification-bell.tsx'
import { useT } from '../i18n/i18n.tsx'
import { NavbarLinks } from './navbar.tsx'
import classes from './shell.module.css'

/** The navigation of a phone, with the buttons that its top bar has no room for. */
export function PhoneDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  const t = useT()
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={280}
      padding="sm"
      title={
        <Group gap="2xs">
          <NotificationBell />
          <ThemeButton />
          <LanguageButton />
        </Group>
      }
      styles={{ content: { display: 'flex', flexDirection: 'column' }, body: { flex: 1, minHeight: 0, padding: 0 } }}
    >
      <nav className={classes.nav} aria-label={t('shell.Main')}>
        <NavbarLinks />
      </nav>
    </Drawer>
  )
}
