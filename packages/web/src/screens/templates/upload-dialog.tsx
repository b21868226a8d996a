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
import { useCall } from '../../api/use-call.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { type Text, useText } from '../../i18n/text.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useIsPhone } from '../../ui/page.tsx'
import { messageOf } from '../../ui/refusal.tsx'
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
  const text = useText()
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
      title={text('templates.UploadTitle', { file: file.name })}
      fullScreen={isPhone}
      size="min(70rem, calc(100vw - 60px))"
      closeButtonProps={{ 'aria-label': text('common.Close') }}
    >
      {reading.data === undefined ? (
        <Skeleton h={240} radius="lg" aria-label={text('common.Loading')} />
      ) : problem ? (
        <Notice kind="error">{problem(text)}</Notice>
      ) : 'raw' in reading.data ? (
        <SaveUpload read={reading.data} onDone={onDone} />
      ) : null}
    </Modal>
  )
}

function SaveUpload({ read, onDone }: { read: TemplateFile; onDone: () => void }) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const write = useWriteTemplate(uploadTemplate)
  const templates = useCall(listTemplates, {}, { staleTime: 0 })
  const [name, setName] = useState(read.name)
  const [isSaving, setIsSaving] = useState(false)
  const warnings = problemsOfDefinition(Template.parse(read.raw))
  const isValid = TemplateName.safeParse(name).success
  const isTaken = templates.data?.some((held) => held.name === name) ?? false
  const save = async (condition: Condition) => {
    setIsSaving(true)
    try {
      await write(name, { ...read.raw, name }, condition)
      toast.success(text('templates.Imported', { name }))
      onDone()
    } catch (refusal) {
      setIsSaving(false)
      tell(refusal)
    }
  }
  const buttons = (condition: Condition, action: string) => (
    <div className={classes.buttons}>
      <Button variant="subtle" color="gray" onClick={onDone}>
        {text('common.Cancel')}
      </Button>
      <Button disabled={!isValid} loading={isSaving} onClick={() => void save(condition)}>
        {action}
      </Button>
    </div>
  )
  return (
    <div className={classes.dialog}>
      {warnings.length > 0 && (
        <Notice kind="warning">
          <p>{text('templates.CannotRun')}</p>
          <Warnings warnings={warnings} />
        </Notice>
      )}
      {read.notes && <ConversionReport notes={read.notes} />}
      <TextInput
        data-autofocus
        label={text('templates.Name')}
        description={text('templates.UploadName')}
        error={isValid ? undefined : text('templates.NameRule')}
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
          <Notice kind="warning">{text('templates.UploadTaken')}</Notice>
          <Comparison key={name} name={name} offered={read.raw}>
            {(version) => buttons({ version }, text('templates.Overwrite'))}
          </Comparison>
        </>
      ) : (
        buttons('new', text(read.notes ? 'templates.ConvertSave' : 'templates.UploadSave'))
      )}
    </div>
  )
}

function ConversionReport({ notes }: { notes: readonly ConversionNote[] }) {
  const text = useText()
  return (
    <>
      <Notice kind="info">{text('templates.OldFormat')}</Notice>
      {notes.length === 0 ? (
        <p className={classes.quiet}>{text('templates.NothingLost')}</p>
      ) : (
        <section aria-label={text('templates.Lost')}>
          <h3 className={classes.small}>{text('templates.Lost')}</h3>
          <ul className={classes.notes}>
            {notes.map((note) => (
              <li key={JSON.stringify(note)}>{wordsOf(text, note)}</li>
            ))}
          </ul>
        </section>
      )}
    </>
  )
}

function wordsOf(text: Text, note: ConversionNote): string {
  switch (note.kind) {
    case 'dropped':
      return text('templates.NoteDropped', { where: note.where })
    case 'step':
      return text('templates.NoteStep', { where: note.where, type: note.type })
    case 'environment':
      return text('templates.NoteEnvironment', { type: note.type })
    case 'noEnvironment':
      return text('templates.NoteNoEnvironment')
    case 'noCommand':
      return text('templates.NoteNoCommand')
  }
}

interface Broken {
  readonly problem: (text: Text) => string
}

async function examined(file: File): Promise<TemplateFile | Broken> {
  if (file.size > limits.definitionBytes) return { problem: (text) => text('templates.UploadTooLarge') }
  const content = await file.text()
  try {
    return readTemplateFile(file.name, content)
  } catch (error) {
    if (!(error instanceof SyntaxError)) {
      return { problem: (text) => text('templates.UploadInvalid', { reason: messageOf(text, error) }) }
    }
    const { mistakeIn } = await import('../../features/definition-editor/json-editor.tsx')
    const place = mistakeIn(content) ?? { line: 1, column: 1 }
    return { problem: (text) => text('templates.UploadInvalidAt', { line: place.line, column: place.column }) }
  }
}
