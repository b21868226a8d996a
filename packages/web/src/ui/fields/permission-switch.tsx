import { Badge, Switch, type SwitchProps } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'
import classes from './permission-switch.module.css'

interface PermissionSwitchProps {
  readonly label: string
  readonly checked: boolean
  /** Differs from the saved permission. */
  readonly isChanged: boolean
  readonly onChange: (checked: boolean) => void
  readonly disabled?: boolean
  /** Why it is disabled. */
  readonly description?: string | undefined
  readonly size?: SwitchProps['size']
}

/** One row of a list of permissions: the name at the start, the switch at the end. */
export function PermissionSwitch({ label, isChanged, onChange, ...rest }: PermissionSwitchProps) {
  const t = useT()
  return (
    <Switch
      {...rest}
      labelPosition="left"
      label={
        <>
          {label}
          {isChanged && <ChangedBadge />}
        </>
      }
      aria-label={label}
      aria-description={isChanged ? t('common.Changed') : undefined}
      classNames={{ body: classes.body, labelWrapper: classes.labelWrapper, label: classes.label }}
      onChange={(event) => onChange(event.currentTarget.checked)}
    />
  )
}

/** Marks a permission with an unsaved change. The control beside it has a description for screen readers. */
export function ChangedBadge() {
  const t = useT()
  return (
    <Badge ms="auto" flex="none" bg="var(--ik-accent-soft)" c="var(--ik-accent)" aria-hidden>
      {t('common.Changed')}
    </Badge>
  )
}
