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

/** In the order of the sections on the page. */
const sections = [
  { id: 'details', name: 'common.Details', Icon: IconUserCircle },
  { id: 'password', name: 'common.Password', Icon: IconLock },
  { id: 'two-factor', name: 'account.TwoFactor', Icon: IconDeviceMobile },
  { id: 'clients', name: 'oauth.Title', Icon: IconKey },
  { id: 'ssh-keys', name: 'account.SshKeys', Icon: IconFingerprint },
  { id: 'sessions', name: 'account.Sessions', Icon: IconDeviceDesktop },
  { id: 'appearance', name: 'shell.Appearance', Icon: IconPalette },
  { id: 'shortcuts', name: 'account.Shortcuts', Icon: IconKeyboard },
] as const

/** Links to the sections of the account page. */
export function AccountNav() {
  const t = useT()
  return (
    <SectionNav
      label={t('account.Sections')}
      sections={sections.map(({ id, name, Icon }) => ({ id, title: t(name), Icon }))}
    />
  )
}
