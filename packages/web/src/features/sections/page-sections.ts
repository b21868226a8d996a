import type { PanelScope } from '@innkeeper/contract/api/permissions'
import {
  IconAdjustments,
  IconArchive,
  IconBell,
  IconDeviceDesktop,
  IconDeviceMobile,
  IconFingerprint,
  IconKey,
  IconKeyboard,
  IconLock,
  IconMail,
  IconPalette,
  IconShieldLock,
  IconShoppingCart,
  IconTerminal2,
  IconUserCircle,
  IconWorld,
  type TablerIcon,
} from '@tabler/icons-react'
import type { TranslationKey } from '../../i18n/i18n.tsx'

/** A section of a long page: in its navigation and in the palette. */
interface PageSection {
  /** The id of its element. */
  readonly id: string
  readonly name: TranslationKey
  readonly Icon: TablerIcon
  /** Missing when everyone who sees the page sees it. */
  readonly scope?: PanelScope
}

/** In the order of the sections on the page. */
export const settingsSections: readonly PageSection[] = [
  { id: 'panel', name: 'settings.Panel', Icon: IconAdjustments },
  { id: 'sign-in', name: 'settings.SignIn', Icon: IconShieldLock },
  { id: 'theme', name: 'shell.Theme', Icon: IconPalette },
  { id: 'email', name: 'common.Email', Icon: IconMail },
  { id: 'dns', name: 'settings.Dns', Icon: IconWorld },
  { id: 'backups', name: 'server.TabBackups', Icon: IconArchive },
  { id: 'plans', name: 'plans.Title', Icon: IconShoppingCart, scope: 'servers.admin' },
  { id: 'alerts', name: 'alerts.Title', Icon: IconBell, scope: 'servers.admin' },
]

/** In the order of the sections on the page. */
export const accountSections: readonly PageSection[] = [
  { id: 'details', name: 'common.Details', Icon: IconUserCircle },
  { id: 'password', name: 'common.Password', Icon: IconLock },
  { id: 'passkeys', name: 'passkeys.Title', Icon: IconFingerprint },
  { id: 'two-factor', name: 'two-factor.Title', Icon: IconDeviceMobile },
  { id: 'clients', name: 'oauth.Title', Icon: IconKey },
  { id: 'ssh-keys', name: 'account.SshKeys', Icon: IconTerminal2 },
  { id: 'sessions', name: 'account.Sessions', Icon: IconDeviceDesktop },
  { id: 'appearance', name: 'shell.Appearance', Icon: IconPalette },
  { id: 'shortcuts', name: 'account.Shortcuts', Icon: IconKeyboard },
]
