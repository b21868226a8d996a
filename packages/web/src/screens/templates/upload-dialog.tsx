import { uploadTemplate } from '@innkeeper/contract/catalogue'
import { Template } from '@innkeeper/contract/definition'
import { problemsOfDefinition } from '@innkeeper/contract/definition-problems'
import { limits } from '@innkeeper/contract/limits'
import { TemplateName } from '@innkeeper/contract/names'
import type { ConversionNote } from '@innkeeper/contract/template-conversion'
import { listTemplates } from '@innkeeper/contract/templates'
import { Button, Modal, Skeleton, TextInput } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { use, useState } from 'react'
import { ShowErrorContext } from '../../api/use-api-mutation.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/alert.tsx'
import { errorMessage } from '../../ui/error-message.ts'
import { useIsPhone } from '../../ui/page.tsx'
import { toast } from '../../ui/toast.tsx'
import { Warnings } from './catalogue-problems.tsx'
import { Comparison } from './comparison.tsx'
import classes from './import.module.css'
import { readTemplateFile, type TemplateFile } from './template-file.ts'
import { type Condition, useWriteTemplate } from './use-template.ts'

interface UploadDialogProps {
  readonly file: File
  /** Saved, or not wanted. */
  readonly onDone: () => void
}

/** A template from a file: what is wrong with it, or what it is, and what saving it changes. */
export function UploadDialog({ file, onDone }: UploadDialogProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const reading = useQuery({
    queryKey: ['template file', file.name, file.size, file.lastModified],
    queryFn: () => examined(file),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  const problem = reading.data && 'problem' in reading.data ? reading.data.problem : undefined
  return (
    <Modal
      opened
      onClose={onDone}
      title={t('templates.UploadTitle', { file: file.name })}
      fullScreen={isPhone}
      size="min(70rem, calc(100vw - 60px))"
    >
      {reading.data === undefined ? (
        <Skeleton h={240} radius="lg" aria-label={t('common.Loading')} />
      ) : problem ? (
        <Alert type="error">{problem(t)}</Alert>
      ) : 'raw' in reading.data ? (
        <SaveUpload read={reading.data} onDone={onDone} />
      ) : null}
    </Modal>
  )
}

function SaveUpload({ read, onDone }: { read: TemplateFile; onDone: () => void }) {
  const t = useT()
  const tell = use(ShowErrorContext)
  const write = useWriteTemplate(uploadTemplate)
  const templates = useApiQuery(listTemplates, {}, { staleTime: 0 })
  const [name, setName] = useState(read.name)
  const [isSaving, setIsSaving] = useState(false)
  const warnings = problemsOfDefinition(Template.parse(read.raw))
  const isValid = TemplateName.safeParse(name).success
  const isTaken = templates.data?.some((held) => held.name === name) ?? false
  const save = async (condition: Condition) => {
    setIsSaving(true)
    try {
      await write(name, { ...read.raw, name }, condition)
      toast.success(t('templates.Imported', { name }))
      onDone()
    } catch (refusal) {
      setIsSaving(false)
      tell(refusal)
    }
  }
  const buttons = (condition: Condition, action: string) => (
    <div className={classes.buttons}>
      <Button variant="subtle" color="gray" onClick={onDone}>
        {t('common.Cancel')}
      </Button>
      <Button disabled={!isValid} loading={isSaving} onClick={() => void save(condition)}>
        {action}
      </Button>
    </div>
  )
  return (
    <div className={classes.dialog}>
      {warnings.length > 0 && (
        <Alert type="warning">
          <p>{t('templates.CannotRun')}</p>
          <Warnings warnings={warnings} />
        </Alert>
      )}
      {read.notes && <ConversionReport notes={read.notes} />}
      <TextInput
        data-autofocus
        label={t('templates.Name')}
        description={t('templates.UploadName')}
        error={isValid ? undefined : t('templates.NameRule')}
        dir="ltr"
        maw={360}
        maxLength={100}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      {isTaken ? (
        <>
          <Alert type="warning">{t('templates.UploadTaken')}</Alert>
          <Comparison key={name} name={name} offered={read.raw}>
            {(version) => buttons({ version }, t('templates.Overwrite'))}
          </Comparison>
        </>
      ) : (
        buttons('new', t(read.notes ? 'templates.ConvertSave' : 'templates.UploadSave'))
      )}
    </div>
  )
}

function ConversionReport({ notes }: { notes: readonly ConversionNote[] }) {
  const t = useT()
  return (
    <>
      <Alert type="info">{t('templates.OldFormat')}</Alert>
      {notes.length === 0 ? (
        <p className={classes.quiet}>{t('templates.NothingLost')}</p>
      ) : (
        <section aria-label={t('templates.Lost')}>
          <h3 className={classes.small}>{t('templates.Lost')}</h3>
          <ul className={classes.notes}>
            {notes.map((note) => (
              <li key={JSON.stringify(note)}>{wordsOf(t, note)}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function wordsOf(t: TFunction, note: ConversionNote): string {
  switch (note.kind) {
    case 'dropped':
      return t('templates.NoteDropped', { where: note.where })
    case 'step':
      return t('templates.NoteStep', { where: note.where, type: note.type })
    case 'environment':
      return t('templates.NoteEnvironment', { type: note.type })
    case 'noEnvironment':
      return t('templates.NoteNoEnvironment')
    case 'noCommand':
      return t('templates.NoteNoCommand')
  }
}

interface Broken {
  readonly problem: (text: TFunction) => string
}

async function examined(file: File): Promise<TemplateFile | Broken> {
  if (file.size > limits.definitionBytes) return { problem: (text) => text('templates.UploadTooLarge') }
  const content = await file.text()
  try {
    return readTemplateFile(file.name, content)
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      return { problem: (text) => text('templates.UploadInvalid', { reason: errorMessage(text, error) }) }
    }
    const { mistakeIn } = await import('../../features/definition-editor/json-editor.tsx')
    const place = mistakeIn(content) ?? { line: 1, column: 1 }
    return { problem: (text) => text('templates.UploadInvalidAt', { line: place.line, column: place.column }) }
  }
}
