import { limits } from '@innkeeper/contract/limits'
import { IconCircle, IconCircleCheck } from '@tabler/icons-react'
import { useText } from '../i18n/text.tsx'
import classes from './password-rules.module.css'

/** The rules of a password, ticked while it is typed. */
export function PasswordRules({ password, repeated }: { password: string; repeated: string }) {
  const text = useText()
  const rules = [
    { text: text('setup.RuleLength', { count: limits.passwordMin }), isMet: password.length >= limits.passwordMin },
    { text: text('setup.RuleSame'), isMet: password !== '' && password === repeated },
  ]
  return (
    <ul className={classes.rules}>
      {rules.map((rule) => (
        <li key={rule.text} className={rule.isMet ? classes.met : ''}>
          {rule.isMet ? <IconCircleCheck size={14} aria-hidden /> : <IconCircle size={14} aria-hidden />}
          {rule.text}
          {rule.isMet && <span className={classes.hidden}> {text('setup.RuleMet')}</span>}
        </li>
      ))}
    </ul>
  )
}
