import { Button, Group, Textarea } from '@mantine/core'
import { useClipboard } from '@mantine/hooks'
import { IconCheck, IconCopy } from '@tabler/icons-react'
import { useT } from '../../i18n/i18n.tsx'
import { copiedMs } from '../text/copied-duration.ts'
import { codeInputProps } from './code-input.ts'

/** A secret that is shown once, with a button that copies it. */
export function CopyField({ label, copyLabel, value }: { label: string; copyLabel: string; value: string }) {
  const t = useT()
  const { copied, copy, error } = useClipboard({ timeout: copiedMs })
  return (
    <Group gap="xs" align="flex-end" wrap="nowrap">
      {/* A long secret is shown whole on a phone, too. */}
      <Textarea
        readOnly
        autosize
        minRows={1}
        flex={1}
        label={label}
        value={value}
        {...codeInputProps}
        error={error ? t('oauth.CopyFailed') : undefined}
        onFocus={(event) => event.currentTarget.select()}
      />
      <Button
        variant="default"
        aria-label={copied ? t('common.Copied') : copyLabel}
        {...(copied ? { c: 'var(--ik-online)' } : {})}
        leftSection={copied ? <IconCheck size={17} aria-hidden /> : <IconCopy size={17} aria-hidden />}
        onClick={() => copy(value)}
      >
        {copied ? t('common.Copied') : t('common.Copy')}
      </Button>
    </Group>
  )
}
