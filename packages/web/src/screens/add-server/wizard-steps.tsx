import { Box, Stepper } from '@mantine/core'
import { IconCheck } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import classes from './add-server.module.css'
import { type Step, steps } from './draft.ts'

interface WizardStepsProps {
  readonly current: Step
  /** The last step that can be opened. */
  readonly firstIncomplete: Step
  readonly onStep: (step: Step) => void
}

export function WizardSteps({ current, firstIncomplete, onStep }: WizardStepsProps) {
  const t = useT()
  const lastOpen = steps.indexOf(firstIncomplete)
  return (
    <Box component="nav" aria-label={t('add-server.Progress')}>
      <Stepper
        active={steps.indexOf(current)}
        onStepClick={(index) => onStep(steps[index] ?? current)}
        iconSize={26}
        completedIcon={<IconCheck size={15} aria-hidden />}
        classNames={{
          steps: classes.steps,
          step: classes.step,
          stepIcon: classes.stepIcon,
          stepBody: classes.stepBody,
          separator: classes.stepSeparator,
        }}
      >
        {steps.map((step, index) => (
          <Stepper.Step
            key={step}
            label={t(`add-server.Step_${step}`)}
            aria-current={step === current ? 'step' : undefined}
            allowStepSelect={index <= lastOpen}
            disabled={index > lastOpen}
          />
        ))}
      </Stepper>
    </Box>
  )
}
