import {
  IconCloudDownload,
  IconPlayerPlay,
  IconPlayerStop,
  IconRotateClockwise,
  IconSkull,
  IconX,
  type TablerIcon,
} from '@tabler/icons-react'
import type { TranslationKey } from '../../i18n/i18n.tsx'
import type { PowerAction } from './power.ts'

interface PowerDisplay {
  readonly label: TranslationKey
  readonly Icon: TablerIcon
  /** The keys of its shortcut. */
  readonly keys: string
}

export const powerDisplays: Readonly<Record<PowerAction, PowerDisplay>> = {
  start: { label: 'server.PowerStart', Icon: IconPlayerPlay, keys: 'r r' },
  restart: { label: 'server.PowerRestart', Icon: IconRotateClockwise, keys: 'r r' },
  stop: { label: 'server.PowerStop', Icon: IconPlayerStop, keys: 'r s' },
  kill: { label: 'server.PowerKill', Icon: IconSkull, keys: 'r k' },
  install: { label: 'server.PowerInstall', Icon: IconCloudDownload, keys: 'r i' },
  cancelInstall: { label: 'server.PowerCancelInstall', Icon: IconX, keys: 'r k' },
}
