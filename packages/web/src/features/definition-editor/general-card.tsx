import { SegmentedControl, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { useT } from '../../i18n/i18n.tsx'
import { Readme } from '../../ui/readme.tsx'
import classes from './definition-editor.module.css'
import { code, fieldOrder, PartCard, type PartProps } from './part.tsx'
import type { Kind, Problem } from './problems.ts'
import { textAt, withPart, withTextAt } from './raw.ts'
import { problemText } from './words.ts'

interface GeneralCardProps extends PartProps {
  readonly kind: Kind
  readonly problems: readonly Problem[]
}

/** What a template or server is called, of what sort it is, and what it says about itself. */
export function GeneralCard({ raw, onChange, kind, problems }: GeneralCardProps) {
  const t = useT()
  const wrongType = problems.find(({ at }) => at === 'type')
  return (
    <PartCard section="general">
      <TextInput
        label={t('definition.Display')}
        value={textAt(raw, ['display'])}
        onChange={(event) => onChange(withTextAt(raw, ['display'], event.currentTarget.value))}
      />
      <TextInput
        {...code}
        label={t('definition.Type')}
        description={t('definition.TypeHow')}
        inputWrapperOrder={fieldOrder}
        withAsterisk
        value={textAt(raw, ['type'])}
        error={wrongType && problemText(t, wrongType)}
        onChange={(event) => onChange(withPart(raw, ['type'], event.currentTarget.value))}
      />
      {kind === 'template' && <ReadmeField raw={raw} onChange={onChange} />}
    </PartCard>
  )
}

function ReadmeField({ raw, onChange }: PartProps) {
  const t = useT()
  const [isPreview, setIsPreview] = useState(false)
  const readme = textAt(raw, ['readme'])
  return (
    <div className={classes.wide}>
      <div className={classes.labelRow}>
        <span className={classes.label} id="definition-readme">
          {t('definition.Readme')}
        </span>
        <SegmentedControl
          size="xs"
          aria-label={t('definition.ReadmeView')}
          value={isPreview ? 'preview' : 'write'}
          onChange={(view) => setIsPreview(view === 'preview')}
          data={[
            { value: 'write', label: t('definition.ReadmeWrite') },
            { value: 'preview', label: t('definition.ReadmePreview') },
          ]}
        />
      </div>
      {isPreview ? (
        <div className={classes.preview}>
          {readme.trim() === '' ? (
            <p className={classes.quiet}>{t('definition.NoReadme')}</p>
          ) : (
            <Readme markdown={readme} headings="h3" />
          )}
        </div>
      ) : (
        <Textarea
          aria-labelledby="definition-readme"
          description={t('definition.ReadmeHow')}
          inputWrapperOrder={fieldOrder}
          autosize
          minRows={3}
          maxRows={8}
          value={readme}
          onChange={(event) => onChange(withTextAt(raw, ['readme'], event.currentTarget.value))}
        />
      )}
    </div>
  )
}
