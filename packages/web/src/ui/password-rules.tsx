import { limits } from '@innkeeper/contract/limits'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useT } from '../i18n/i18n.tsx'
import classes from './password-rules.module.css'

/** The rules of a password, ticked while it is typed. */
export function PasswordRules({ password, repeated }: { password: string; repeated: string }) {
  const t = useT()
  const rules = [
    { text: t('setup.RuleLength', { count: limits.passwordMin }), isMet: password.length >= limits.passwordMin },
    { text: t('setup.RuleSame'), isMet: password !== '' && password === repeated },
  ]
  return (
    <ul className={classes.rules}>
      {rules.map((rule) => (
        <li key={rule.text} className={rule.isMet ? classes.met : ''}>
          {rule.isMet ? <IconCircleCheck size={14} aria-hidden /> : <IconCircle size={14} aria-hidden />}
          {rule.text}
          {rule.isMet && <span className={classes.hidden}> {t('setup.RuleMet')}</span>}
        </li>
      ))}
    </ul>
  )
}
