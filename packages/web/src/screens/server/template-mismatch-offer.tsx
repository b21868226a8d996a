import { getTemplate } from '@innkeeper/contract/templates/templates'
import { Button, Group } from '@mantine/core'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useUploads } from '../../features/uploads/use-uploads.tsx'
import { useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import type { TemplateMismatch } from './use-template-mismatch.ts'

interface TemplateMismatchOfferProps {
  /** The name of the server of another template. */
  readonly server: string
  readonly found: TemplateMismatch
  readonly onDismiss: () => void
}

/** Offers to add another server for the files. Add server gets template and files. */
export function TemplateMismatchOffer({ server, found, onDismiss }: TemplateMismatchOfferProps) {
  const t = useT()
  const uploads = useUploads()
  const { name, template, items } = found
  const { data } = useApiQuery(getTemplate, { params: { name: template } }, { staleTime: 60_000 })
  if (!data) return null
  return (
    <Alert
      type="info"
      role="status"
      action={
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            component={Link}
            to={`/addserver?template=${encodeURIComponent(template)}`}
            onClick={() => {
              uploads.keepSelection(items)
              onDismiss()
            }}
          >
            {t('servers.Add')}
          </Button>
          <Button size="xs" variant="subtle" onClick={onDismiss}>
            {t('common.Close')}
          </Button>
        </Group>
      }
    >
      {t('files.OtherKind', { name, template: data.display || template, server })}
    </Alert>
  )
}
