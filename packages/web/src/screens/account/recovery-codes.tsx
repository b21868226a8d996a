import { Button, Group, Modal, SimpleGrid, Stack } from '@mantine/core'
import { IconDownload } from '@tabler/icons-react'
import { use } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { saveAsFile } from '../../ui/feedback/save-as-file.ts'
import { BrandContext } from '../../ui/layout/page.tsx'
import { CopyTextButton } from '../../ui/text/copy-button.tsx'

/** Shows codes that cannot be shown again: only its confirm button closes the dialog, not Escape or a click beside it. */
export function RecoveryCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  const t = useT()
  const brand = use(BrandContext)
  const text = codes.join('\n')
  return (
    <Modal
      opened
      size={480}
      onClose={() => undefined}
      closeOnEscape={false}
      closeOnClickOutside={false}
      withCloseButton={false}
      title={t('two-factor.RecoveryTitle')}
    >
      <Stack>
        <Alert type="warning">{t('two-factor.RecoveryOnce')}</Alert>
        <SimpleGrid
          component="ul"
          minColWidth="10rem"
          spacing="md"
          verticalSpacing="xs"
          px="md"
          py="sm"
          bd="1px solid var(--ik-border)"
          bdrs="md"
          bg="var(--ik-console)"
          c="var(--ik-console-text)"
          ff="monospace"
          fz="compact"
          lh="1.25rem"
          dir="ltr"
          aria-label={t('two-factor.RecoveryCodes')}
        >
          {codes.map((code) => (
            <li key={code}>{code}</li>
          ))}
        </SimpleGrid>
        <Group gap="xs">
          <CopyTextButton value={text} text={t('two-factor.CopyAll')} />
          <Button
            variant="default"
            leftSection={<IconDownload size={17} aria-hidden />}
            onClick={() => saveAsFile(t('two-factor.FileName', { brand }), `${text}\n`)}
          >
            {t('common.Download')}
          </Button>
          <Button ms="auto" onClick={onClose}>
            {t('two-factor.SavedThem')}
          </Button>
        </Group>
      </Stack>
    </Modal>
  )
}
