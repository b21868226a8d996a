import {
  IconCloudDownload,
  IconPlayerPlay,
  IconPlayerStop,
  IconRotateClockwise,
  IconSkull,
  IconX,
} from '@tabler/icons-react'

export const powerIcons = {
  start: IconPlayerPlay,
  restart: IconRotateClockwise,
  stop: IconPlayerStop,
  kill: IconSkull,
  install: IconCloudDownload,
  cancelInstall: IconX,
} as const
