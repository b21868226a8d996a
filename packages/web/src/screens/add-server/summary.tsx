import type { Template } from '@innkeeper/contract/definition'
import { listNodeChoices } from '@innkeeper/contract/nodes'
import { useCall } from '../../api/use-call.ts'
import { useText } from '../../i18n/text.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import classes from './add-server-screen.module.css'
import { type Draft, usersIn } from './draft.ts'

/** What has been chosen so far, beside every step. */
export function Summary({ draft, template }: { draft: Draft; template: Template | undefined }) {
  const text = useText()
  const nodes = useCall(listNodeChoices, {}, { staleTime: 60_000 })
  const users = usersIn(draft.users)
  const rows = [
    [text('add-server.Template'), template?.display || draft.template, template?.type],
    [text('add-server.Node'), nodes.data?.find(({ id }) => id === draft.node)?.name],
    [text('add-server.Environment'), draft.environment && environmentName(text, draft.environment)],
    [text('add-server.Name'), draft.name],
    [text('add-server.Users'), users.length === 0 ? text('add-server.OnlyYou') : users.join(', ')],
  ] as const
  return (
    <aside className={classes.summary} aria-label={text('add-server.Summary')}>
      <h2>{text('add-server.Summary')}</h2>
      <dl>
        {rows.map(([name, value, detail]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>
              {value ? <b>{value}</b> : <span className={classes.quiet}>{text('add-server.NotSet')}</span>}
              {value && detail && <span className={classes.quiet}>{detail}</span>}
            </dd>
          </div>
        ))}
      </dl>
      <p className={classes.quiet}>{text('add-server.NothingYet')}</p>
    </aside>
  )
}
