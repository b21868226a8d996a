import { UnstyledButton } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './add-server-screen.module.css'
import { type Step, steps } from './draft.ts'

interface StepsProps {
  readonly current: Step
  /** The first step that lacks something: up to there one may go. */
  readonly open: Step
  readonly onGo: (step: Step) => void
}

export function Steps({ current, open, onGo }: StepsProps) {
  const t = useT()
  const at = steps.indexOf(current)
  return (
    <nav aria-label={t('add-server.Progress')}>
      <ol className={classes.steps}>
        {steps.map((step, index) => (
          <li key={step}>
            <UnstyledButton
              className={classes.stepName}
              data-done={index < at || undefined}
              aria-current={step === current ? 'step' : undefined}
              disabled={index > steps.indexOf(open)}
              onClick={() => onGo(step)}
            >
              <b>{index < at ? <IconCheck size={15} stroke={2.2} aria-hidden /> : index + 1}</b>
              <span>{t(`add-server.Step_${step}`)}</span>
            </UnstyledButton>
          </li>
        ))}
      </ol>
    </nav>
  )
}
