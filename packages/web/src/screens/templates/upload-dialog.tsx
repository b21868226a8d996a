import { Template } from '@innkeeper/contract/definitions/definition'
import { warningsOfDefinition } from '@innkeeper/contract/definitions/definition-problems'
import { uploadTemplate } from '@innkeeper/contract/templates/catalog'
import type { ConversionNote } from '@innkeeper/contract/templates/template-conversion'
import { listTemplates } from '@innkeeper/contract/templates/templates'
import { limits } from '@innkeeper/contract/text/limits'
import { TemplateName } from '@innkeeper/contract/text/names'
import type { YamlError } from '@innkeeper/contract/text/parse-yaml'
import { Modal, Text, TextInput, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useId } from 'react'
import { useApiQuery } from '../../api/use-api.ts'
import { DialogForm, useCloseDialog } from '../../forms/form-dialogs.tsx'
import { useSubmitForm } from '../../forms/use-submit-form.ts'
import { type TFunction, useT } from '../../i18n/i18n.tsx'
import { Alert } from '../../ui/feedback/alert.tsx'
import { errorMessage } from '../../ui/text/error-message.ts'
import { toast } from '../../ui/toasts/toast.tsx'
import { Notes, TemplateWarnings } from './catalog-problems.tsx'
import { DiffSkeleton, TemplateDiff } from './template-diff.tsx'
import { isYamlFile, readTemplateFile, type TemplateFile } from './template-file.ts'
import { useTemplate, useWriteTemplate } from './use-template.ts'

interface UploadDialogProps {
  readonly file: File
  /** The template was saved, or the dialog closed. */
  readonly onDone: () => void
}

/** Saves a template from a file, after showing what is wrong with it and what it would overwrite. */
export function UploadDialog({ file, onDone }: UploadDialogProps) {
  const t = useT()
  const { data: result } = useQuery({
    queryKey: ['template file', file.name, file.size, file.lastModified],
    queryFn: () => parseFile(file),
    gcTime: 0,
    staleTime: 0,
    retry: false,
  })
  const template = result && 'raw' in result ? result : undefined
  const state = useUploadForm(template, onDone)
  const close = useCloseDialog(state.form, onDone)
  return (
    <Modal
      opened
      onClose={close}
      title={t('templates.UploadTitle', { file: file.name })}
      variant="phone-full-screen"
      size="min(70rem, calc(100vw - 60px))"
    >
      {!result ? (
        <DiffSkeleton />
      ) : 'getError' in result ? (
        <Alert type="error">{result.getError(t)}</Alert>
      ) : (
        <UploadForm file={result} state={state} onCancel={close} />
      )}
    </Modal>
  )
}

/** The form of the name that a template is saved under. It is empty until the file was read. */
function useUploadForm(file: TemplateFile | undefined, onDone: () => void) {
  const t = useT()
  const write = useWriteTemplate(uploadTemplate)
  const templates = useApiQuery(listTemplates, {}, { staleTime: 0 })
  const form = useSubmitForm({
    initialValues: { name: file?.name ?? '' },
    fieldByCode: { ErrDuplicateTemplateName: 'name' },
    send: async ({ name }) => {
      const precondition = exists ? { version: current.data?.version } : 'new'
      await write.mutateAsync({ name, raw: { ...file?.raw, name }, precondition })
      return name
    },
    handleError: () => {
      // Another user may have changed what the error is about.
      void templates.refetch()
      if (exists) void current.refetch()
      return false
    },
    onSaved: (name) => {
      toast.success(t('templates.Imported', { name }))
      onDone()
    },
  })
  const { name } = form.values
  const exists = templates.data?.some((template) => template.name === name) ?? false
  const current = useTemplate(name, { enabled: exists })
  const isValid = TemplateName.safeParse(name).success
  return { form, exists, isValid, canSave: isValid && (!exists || current.isSuccess) }
}

interface UploadFormProps {
  readonly file: TemplateFile
  readonly state: ReturnType<typeof useUploadForm>
  readonly onCancel: () => void
}

function UploadForm({ file, state: { form, exists, isValid, canSave }, onCancel }: UploadFormProps) {
  const t = useT()
  const { name } = form.values
  // The values of the form follow the file one render later.
  const isFollowing = form.saved.name === file.name
  const action = t(exists ? 'common.Overwrite' : file.notes ? 'templates.ConvertSave' : 'templates.Save')
  return (
    <DialogForm form={form} action={action} canSave={canSave} onCancel={onCancel}>
      <TemplateWarnings warnings={warningsOfDefinition(Template.parse(file.raw))} />
      {file.notes && <ConversionReport notes={file.notes} isEgg={file.isEgg === true} />}
      <TextInput
        data-autofocus
        label={t('templates.Name')}
        description={t('templates.UploadName')}
        dir="ltr"
        maw={360}
        maxLength={100}
        spellCheck={false}
        autoComplete="off"
        autoCapitalize="none"
        {...form.field('name')}
        error={isValid || !isFollowing ? form.errors.name : t('templates.NameRule')}
      />
      {exists && (
        <>
          <Alert type="warning" role="status">
            {t('templates.UploadExists')}
          </Alert>
          <TemplateDiff key={name} name={name} incoming={file.raw} />
        </>
      )}
    </DialogForm>
  )
}

function ConversionReport({ notes, isEgg }: { notes: readonly ConversionNote[]; isEgg: boolean }) {
  const t = useT()
  const titleId = useId()
  return (
    <>
      <Alert type="info">{t(isEgg ? 'templates.EggFormat' : 'templates.OldFormat')}</Alert>
      {notes.length === 0 ? (
        <Text variant="note">{t('templates.FullyConverted')}</Text>
      ) : (
        <section aria-labelledby={titleId}>
          <Title order={3} id={titleId}>
            {t('templates.NotConverted')}
          </Title>
          <Notes items={notes.map((note) => noteMessage(t, note))} />
        </section>
      )}
    </>
  )
}

function noteMessage(t: TFunction, note: ConversionNote): string {
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
    case 'noImage':
      return t('templates.NoteNoImage')
    case 'configFile':
      return t('templates.NoteConfigFile', { file: note.file })
    case 'configValue':
      return t('templates.NoteConfigValue', { file: note.file, key: note.key })
    case 'ready':
      return t('templates.NoteReady')
    case 'variableRule':
      return t('templates.NoteRule', { variable: note.variable, rule: note.rule })
  }
}

interface InvalidFile {
  readonly getError: (t: TFunction) => string
}

async function parseFile(file: File): Promise<TemplateFile | InvalidFile> {
  const maxBytes = isYamlFile(file.name) ? limits.yamlBytes : limits.definitionBytes
  if (file.size > maxBytes) return { getError: (t) => t('templates.UploadTooLarge') }
  const content = await file.text()
  try {
    return await readTemplateFile(file.name, content)
  } catch (error) {
    if (error instanceof Error && error.name === 'YamlError') {
      const { line, column } = error as YamlError
      return { getError: (t) => t('common.InvalidYamlAt', { line, column }) }
    }
    if (!(error instanceof SyntaxError)) {
      return { getError: (t) => t('templates.UploadInvalid', { reason: errorMessage(t, error) }) }
    }
    const { findSyntaxError } = await import('../../features/definition-editor/json-editor.tsx')
    const { line, column } = findSyntaxError(content) ?? { line: 1, column: 1 }
    return { getError: (t) => t('common.InvalidJsonAt', { line, column }) }
  }
}
