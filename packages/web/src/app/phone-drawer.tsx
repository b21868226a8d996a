import { Drawer } from '@mantine/core'
import { SchemeToggle } from '../features/appearance/scheme.tsx'
import { LanguageButton } from '../features/language/language-button.tsx'
import { Navigation } from './navigation.tsx'
import classes from './shell.module.css'

/** The drawer of a phone, with what a wide top bar has room for. */
export function PhoneDrawer({ opened, onClose }: { opened: boolean; onClose: () => void }) {
  return (
    <Drawer
      opened={opened}
      onClose={onClose}
      size={280}
      title={
        <span className={classes.drawerHead}>
          <SchemeToggle />
          <LanguageButton />
        </span>
      }
      classNames={{ body: classes.drawerBody ?? '' }}
    >
      <Navigation inDrawer />
    </Drawer>
  )
}
