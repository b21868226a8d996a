import { environmentsOf, Template } from '@innkeeper/contract/definition'
import { formatRaw, type Raw, textAt } from '../../features/definition-editor/raw.ts'
import { useT } from '../../i18n/i18n.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { environmentName } from '../../ui/environment-name.ts'
import { Readme } from '../../ui/readme.tsx'
import { Badge, Card, CopyButton, Mono } from '../../ui/small.tsx'
import classes from './template-screen.module.css'

/** One template for those who may not change it: what it says about itself, and the whole of it as JSON. */
export function TemplateView({ name, raw }: { name: string; raw: Raw }) {
  const t = useT()
  const json = formatRaw(raw)
  const readme = textAt(raw, ['readme'])
  const read = Template.safeParse(raw)
  return (
    <>
      <Card className={classes.part ?? ''}>
        <div className={classes.facts}>
          <Mono>{name}</Mono>
          <span>{categoryName(t, textAt(raw, ['type']))}</span>
          {(read.success ? environmentsOf(read.data) : []).map(({ type }) => (
            <Badge key={type} square>
              {environmentName(t, type)}
            </Badge>
          ))}
        </div>
        {readme === '' ? (
          <p className={classes.quiet}>{t('templates.NoReadme')}</p>
        ) : (
          <Readme markdown={readme} headings="h2" />
        )}
      </Card>
      <Card className={classes.part ?? ''}>
        <div className={classes.head}>
          <h2>{t('templates.Definition')}</h2>
          <CopyButton value={json} label={t('templates.CopyJson')} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <pre className={classes.json} dir="ltr" tabIndex={0}>
          {json}
        </pre>
      </Card>
    </>
  )
}
