import { ActionIcon, Button, type ButtonProps, CopyButton as MantineCopyButton, Tooltip } from '@mantine/core'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { copiedMs } from './copied-duration.ts'

/** Copies a value; says "Copied" for a while. */
export function CopyButton({ value, label, size = 28 }: { value: string; label: string; size?: number }) {
  const t = useT()
  return (
    <MantineCopyButton value={value} timeout={copiedMs}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? t('common.Copied') : label}>
          <ActionIcon size={size} aria-label={copied ? t('common.Copied') : label} onClick={copy}>
            {copied ? <IconCheck size={14} aria-hidden /> : <IconCopy size={14} aria-hidden />}
          </ActionIcon>
        </Tooltip>
      )}
    </MantineCopyButton>
  )
}

interface CopyTextButtonProps extends ButtonProps {
  readonly value: string
  readonly text: string
  /** The accessible name, where the text alone does not say what is copied. */
  readonly label?: string
}

/** A button with a text that copies a value; says "Copied" for a while. */
export function CopyTextButton({ value, text, label, ...props }: CopyTextButtonProps) {
  const t = useT()
  return (
    <MantineCopyButton value={value} timeout={copiedMs}>
      {({ copied, copy }) => (
        <Button
          variant="default"
          aria-label={copied ? t('common.Copied') : label}
          leftSection={copied ? <IconCheck size={16} aria-hidden /> : <IconCopy size={16} aria-hidden />}
          {...props}
          onClick={copy}
        >
          {copied ? t('common.Copied') : text}
        </Button>
      )}
    </MantineCopyButton>
  )
}
