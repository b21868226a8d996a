import {
  IconDeviceDesktop,
  IconDeviceMobile,
  IconFingerprint,
  IconKey,
  IconKeyboard,
  IconLock,
  IconPalette,
  IconUserCircle,
} from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { SectionNav } from '../../ui/section-nav.tsx'
import classes from './account-screen.module.css'

/** The parts of the account by their ids, in their order. */
const sections = [
  { id: 'details', name: 'account.Details', Icon: IconUserCircle },
  { id: 'password', name: 'account.Password', Icon: IconLock },
  { id: 'two-factor', name: 'account.TwoFactor', Icon: IconDeviceMobile },
  { id: 'clients', name: 'oauth.Title', Icon: IconKey },
  { id: 'ssh-keys', name: 'account.SshKeys', Icon: IconFingerprint },
  { id: 'sessions', name: 'account.Sessions', Icon: IconDeviceDesktop },
  { id: 'appearance', name: 'account.Appearance', Icon: IconPalette },
  { id: 'shortcuts', name: 'account.Shortcuts', Icon: IconKeyboard },
] as const

/** Leads to the parts of the page, and marks the one in view. */
export function Sections() {
  const t = useT()
  return (
    <SectionNav
      className={classes.sections ?? ''}
      label={t('account.Sections')}
      sections={sections.map(({ id, name, Icon }) => ({ id, title: t(name), Icon }))}
    />
  )
}
