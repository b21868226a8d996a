import { PasswordInput, type PasswordInputProps } from '@mantine/core'
import { useT } from '../../i18n/i18n.tsx'

interface PasswordFieldProps extends PasswordInputProps {
  readonly label: string
}

/** An input of a password or another secret. The name of its button to show it has the label: forms can have several. */
export function PasswordField(props: PasswordFieldProps) {
  const t = useT()
  const name = t('common.ActionFor', { action: t('sign-in.Reveal'), name: props.label })
  return <PasswordInput {...props} visibilityToggleButtonProps={{ 'aria-label': name }} />
}
