import { ActionIcon, Button } from '@mantine/core'
import { IconX } from '@tabler/icons-react'
import { useFormatters, useT } from '../../i18n/i18n.tsx'
import { type Action, actionNames, actionsFor } from './actions.ts'
import { bytesOf, type Item } from './entries.ts'
import { actionIcons } from './icons.tsx'
import classes from './toolbar.module.css'

interface BulkBarProps {
  readonly chosen: readonly Item[]
  readonly canWrite: boolean
  readonly isPhone: boolean
  readonly onAct: (action: Action) => void
  readonly onClear: () => void
}

const together: readonly Action[] = ['download', 'archive', 'move', 'copy', 'delete']

/** What is chosen, and what can be done with it together. */
export function BulkBar({ chosen, canWrite, isPhone, onAct, onClear }: BulkBarProps) {
  const t = useT()
  const { size } = useFormatters()
  const can = actionsFor(chosen, canWrite)
  const count = chosen.length
  const bytes = bytesOf(chosen)

  return (
    <div className={classes.bulk} role="toolbar" aria-label={t('files.ForChosen')}>
      <span className={classes.chosen}>
        {t('files.Chosen', { count })} {bytes > 0 && <small dir="ltr">{size(bytes)}</small>}
      </span>
      <span className={classes.grow} />
      {together
        .filter((action) => can.includes(action))
        .map((action) => {
          const Icon = actionIcons[action]
          const name = t(actionNames[action])
          const color = action === 'delete' ? 'red' : 'gray'
          return isPhone ? (
            <ActionIcon
              key={action}
              size={44}
              color={color}
              {...(action === 'delete' && classes.danger ? { className: classes.danger } : {})}
              aria-label={name}
              onClick={() => onAct(action)}
            >
              <Icon size={20} aria-hidden />
            </ActionIcon>
          ) : (
            <Button
              key={action}
              size="compact-sm"
              variant="subtle"
              color={color}
              className={action === 'delete' ? classes.danger : undefined}
              leftSection={<Icon size={16} aria-hidden />}
              onClick={() => onAct(action)}
            >
              {name}
            </Button>
          )
        })}
      <ActionIcon
        size={isPhone ? 44 : 30}
        aria-label={t('files.ClearChoice')}
        data-tip={t('files.ClearChoice')}
        onClick={onClear}
      >
        <IconX size={17} aria-hidden />
      </ActionIcon>
    </div>
  )
}
