import { getConfig, getUserSettings } from '@innkeeper/contract/settings/panel'
import { Button } from '@mantine/core'
import { useEffect } from 'react'
import { Link } from 'react-router'
import { useApiQuery } from '../../api/use-api.ts'
import { useT } from '../../i18n/i18n.tsx'
import { usePreference } from '../../session/preferences.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { type DocsAddress, InEnglish } from '../../ui/layout/docs-link.tsx'

const releaseNotes: DocsAddress = 'CHANGELOG'

/** Shows an administrator once that Innkeeper was updated, with a link to the release notes. */
export function ReleaseNotice() {
  const t = useT()
  const settings = useApiQuery(getUserSettings, {}, { staleTime: Number.POSITIVE_INFINITY })
  const config = useApiQuery(getConfig, {}, { staleTime: 60_000 })
  const [seen, setSeen] = usePreference('seenVersion')
  const version = config.data?.version
  const isNew = version !== undefined && seen !== undefined && isNewer(version, seen)
  // Nothing was updated for a user who is here for the first time, nor when an older version runs again.
  const isToStore = settings.data !== undefined && version !== undefined && version !== seen && !isNew
  useEffect(() => {
    if (isToStore) setSeen(version)
  }, [isToStore, version, setSeen])

  if (!settings.data || !isNew) return null
  const markAsSeen = () => setSeen(version)
  return (
    <Alert
      type="info"
      action={
        <>
          <Button component={Link} to={`/docs/${releaseNotes}`} variant="default" size="xs" onClick={markAsSeen}>
            {t('docs.ReleaseNotes')}
            <InEnglish />
          </Button>
          <Button variant="subtle" size="xs" onClick={markAsSeen}>
            {t('common.Close')}
          </Button>
        </>
      }
    >
      {t('docs.Updated', { version })}
    </Alert>
  )
}

const isNewer = (version: string, other: string): boolean => version.localeCompare(other, 'en', { numeric: true }) > 0
