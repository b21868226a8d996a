import {
  IconBan,
  IconCircleCheck,
  IconCircleX,
  IconLoader2,
  IconPlayerSkipForward,
  IconPlayerStop,
  IconPlugX,
} from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './tasks.module.css'
import type { ShownResult } from './words.ts'

const icons = {
  running: IconLoader2,
  done: IconCircleCheck,
  failed: IconCircleX,
  refused: IconBan,
  cancelled: IconPlayerStop,
  skipped: IconPlayerSkipForward,
  interrupted: IconPlugX,
} as const satisfies Record<ShownResult, unknown>

/** How a run ended: shape, word and colour. */
export function Result({ result }: { result: ShownResult }) {
  const t = useT()
  const Icon = icons[result]
  return (
    <span className={`${classes.result} ${classes[result]}`}>
      <Icon size={15} aria-hidden />
      {t(`tasks.Result_${result}`)}
    </span>
  )
}
