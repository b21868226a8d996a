import { limits } from '@innkeeper/contract/text/limits'
import { List } from '@mantine/core'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'

/** Rules of a new password, ticked while the user types. */
export function PasswordRules({ password, repeated }: { password: string; repeated: string }) {
  const t = useT()
  const rules = [
    { text: t('setup.RuleLength', { count: limits.passwordMin }), isMet: password.length >= limits.passwordMin },
    { text: t('setup.RuleSame'), isMet: password !== '' && password === repeated },
  ]
  return (
    <List
      size="xs"
      spacing="2xs"
      mt="xs"
      ps={0}
      c="dimmed"
      center
      styles={{ itemIcon: { marginInlineEnd: '0.375rem' } }}
    >
      {rules.map(({ text, isMet }) => (
        <List.Item
          key={text}
          {...(isMet && { c: 'var(--ik-online)' })}
          icon={
            isMet ? (
              <IconCircleCheck size={14} role="img" aria-label={t('setup.RuleMet')} />
            ) : (
              <IconCircle size={14} aria-hidden />
            )
          }
        >
          {text}
        </List.Item>
      ))}
    </List>
  )
}
