import { getUserSettings } from '@innkeeper/contract/settings/panel'
import { useEffect } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { useJsonPreference } from '../../session/preferences.tsx'
import { addVisit, parseVisits, type Visits } from './last-visit.ts'

/** The end of the last visit before this one, ISO 8601; undefined on the first visit. Records this visit. */
export function useLastVisit(): string | undefined {
  const settings = useApiQuery(getUserSettings, {}, { staleTime: Number.POSITIVE_INFINITY })
  const [visits, setVisits] = useJsonPreference<Visits | undefined>('overviewVisits', parseVisits, undefined)
  const isLoaded = settings.data !== undefined
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the earlier visits are known
  useEffect(() => {
    if (isLoaded) setVisits(addVisit(visits, new Date()))
  }, [isLoaded])
  return visits?.previous
}
