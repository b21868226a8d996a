import { environmentsOf, Template } from '@innkeeper/contract/definition'
import { Badge, Paper } from '@mantine/core'
import { formatRaw, type Raw, textAt } from '../../features/definition-editor/raw.ts'
import { useT } from '../../i18n/i18n.tsx'
import { categoryName } from '../../ui/category-name.ts'
import { CodeText } from '../../ui/code-text.tsx'
import { CopyButton } from '../../ui/copy-button.tsx'
import { environmentName } from '../../ui/environment-name.ts'
import { Readme } from '../../ui/readme.tsx'
import classes from './template-screen.module.css'

/** One template for those who may not change it: what it says about itself, and the whole of it as JSON. */
export function TemplateView({ name, raw }: { name: string; raw: Raw }) {
  const t = useT()
  const json = formatRaw(raw)
  const readme = textAt(raw, ['readme'])
  const read = Template.safeParse(raw)
  return (
    <>
      <Paper className={classes.part ?? ''}>
        <div className={classes.facts}>
          <CodeText>{name}</CodeText>
          <span>{categoryName(t, textAt(raw, ['type']))}</span>
          {(read.success ? environmentsOf(read.data) : []).map(({ type }) => (
            <Badge key={type} radius="sm">
              {environmentName(t, type)}
            </Badge>
          ))}
        </div>
        {readme === '' ? (
          <p className={classes.quiet}>{t('templates.NoReadme')}</p>
        ) : (
          <Readme markdown={readme} headings="h2" />
        )}
      </Paper>
      <Paper className={classes.part ?? ''}>
        <div className={classes.head}>
          <h2>{t('templates.Definition')}</h2>
          <CopyButton value={json} label={t('templates.CopyJson')} />
        </div>
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region must be reachable by keyboard */}
        <pre className={classes.json} dir="ltr" tabIndex={0}>
          {json}
        </pre>
      </Paper>
    </>
  )
}
