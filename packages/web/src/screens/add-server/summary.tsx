import type { Template } from '@innkeeper/contract/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { useApiQuery } from '../../api/use-api-query.ts'
import { useT } from '../../i18n/i18n.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import classes from './add-server-screen.module.css'
import { type Draft, usersIn } from './draft.ts'

/** What has been chosen so far, beside every step. */
export function Summary({ draft, template }: { draft: Draft; template: Template | undefined }) {
  const t = useT()
  const nodes = useApiQuery(listNodeChoices, {}, { staleTime: 60_000 })
  const users = usersIn(draft.users)
  const rows = [
    [t('add-server.Template'), template?.display || draft.template, template?.type],
    [t('add-server.Node'), nodes.data?.find(({ id }) => id === draft.node)?.name],
    [t('add-server.Environment'), draft.environment && environmentName(t, draft.environment)],
    [t('add-server.Name'), draft.name],
    [t('add-server.Users'), users.length === 0 ? t('add-server.OnlyYou') : users.join(', ')],
  ] as const
  return (
    <aside className={classes.summary} aria-label={t('add-server.Summary')}>
      <h2>{t('add-server.Summary')}</h2>
      <dl>
        {rows.map(([name, value, detail]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value ? <b>{value}</b> : <span className={classes.quiet}>{t('add-server.NotSet')}</span>}
              {value && detail && <span className={classes.quiet}>{detail}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className={classes.quiet}>{t('add-server.NothingYet')}</p>
    </aside>
  )
}
