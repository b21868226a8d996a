import { ActionIcon } from '@mantine/core'
import { IconFileCode, IconX } from '@tabler/icons-react'
import type { ReactNode } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './file-editor.module.css'

interface EditorHeadProps {
  readonly path: string
  /** What kind of file it is. */
  readonly icon?: ReactNode
  /** Behind the path. */
  readonly tags?: ReactNode
  /** Before the button that closes. */
  readonly actions?: ReactNode
  readonly onClose: () => void
}

/** The bar above the code: where the file is, and what can be done with it. */
export function EditorHead({ path, icon, tags, actions, onClose }: EditorHeadProps) {
  const t = useT()
  const names = path.split('/')
  return (
    <header className={classes.head}>
      {icon ?? <IconFileCode size={17} aria-hidden />}
      <h2 className={classes.path} dir="ltr">
        {names.length > 1 && <span>{names.slice(0, -1).join(' / ')} / </span>}
        <b>{names.at(-1)}</b>
      </h2>
      {tags}
      <span className={classes.grow} />
      {actions}
      <ActionIcon size={36} aria-label={t('common.Close')} data-tip={t('common.Close')} onClick={onClose}>
        <IconX size={18} aria-hidden />
      </ActionIcon>
    </header>
  )
}
