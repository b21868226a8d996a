import { environmentTypes } from '@innkeeper/contract/definition'
import { ActionIcon, Button, Modal, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core'
import { IconPlus, IconX } from '@tabler/icons-react'
import { lazy, Suspense, use, useState } from 'react'
import { useBeforeUnload } from 'react-router'
import { isRefusal } from '../../api/request.ts'
import { TellRefusalContext } from '../../api/use-send.ts'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useText } from '../../i18n/text.tsx'
import { DockerFields } from '../../ui/docker-fields.tsx'
import { type DockerForm, objectionsToDocker } from '../../ui/docker-form.ts'
import { Notice } from '../../ui/notice.tsx'
import { Badge } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import {
  type DefinitionForm,
  formatDefinition,
  formOf,
  parseDefinition,
  type Raw,
  withEnvironment,
  withForm,
} from './definition.ts'
import classes from './server-admin.module.css'
import { useWriteDefinition, type Versioned } from './use-definition.ts'

const JsonEditor = lazy(async () => ({ default: (await import('./json-editor.tsx')).JsonEditor }))

interface DefinitionEditorProps {
  readonly id: string
  readonly name: string
  readonly opened: Versioned
  /** Reads the definition again, for a person whose copy is out of date. */
  readonly onReload: () => Promise<Versioned>
  readonly onClose: () => void
}

type Mode = 'editor' | 'json'
/** Rows need a key of their own before they have a name. */
let nextKey = 10_000

/** The definition of a server, as a form for what people change most, or as JSON for all of it. */
export function DefinitionEditor({ id, name, opened, onReload, onClose }: DefinitionEditorProps) {
  const text = useText()
  const tell = use(TellRefusalContext)
  const { write } = useWriteDefinition(id)
  const [base, setBase] = useState(opened)
  const [definition, setDefinition] = useState<Raw>(opened.definition)
  const [form, setForm] = useState(() => formOf(opened.definition))
  const [mode, setMode] = useState<Mode>('editor')
  const [json, setJson] = useState('')
  const [wrong, setWrong] = useState<{ line?: number }>()
  const [isStale, setIsStale] = useState(false)
  const [isSaving, setIsSaving] = useState(false)
  const [isLeaving, setIsLeaving] = useState(false)

  /** What would be saved now; `undefined` while the JSON is none. */
  const current = mode === 'json' ? parseDefinition(json) : withForm(definition, form)
  const isDirty = current === undefined || formatDefinition(current) !== formatDefinition(base.definition)

  const pointToMistake = async () => {
    const { mistakeIn } = await import('./json-editor.tsx')
    const line = mistakeIn(json)
    setWrong(line === undefined ? {} : { line })
  }
  const change = async (next: Mode) => {
    if (next === mode) return
    if (current === undefined) return pointToMistake()
    setWrong(undefined)
    setDefinition(current)
    setForm(formOf(current))
    setJson(formatDefinition(current))
    setMode(next)
  }
  const begin = (from: Versioned) => {
    setBase(from)
    setDefinition(from.definition)
    setForm(formOf(from.definition))
    setJson(formatDefinition(from.definition))
    setIsStale(false)
  }
  const save = async (over = false) => {
    if (isSaving) return
    if (current === undefined) return pointToMistake()
    // What is wrong says so at its field.
    if (mode === 'editor' && form.docker && objectionsToDocker(form.docker).size > 0) return
    setIsSaving(true)
    try {
      await write({ definition: current, version: base.version }, { over })
      toast.success(text('common.Saved'))
      onClose()
    } catch (refusal) {
      setIsLeaving(false)
      if (isRefusal(refusal, 'ErrStaleVersion')) setIsStale(true)
      else tell(refusal)
    } finally {
      setIsSaving(false)
    }
  }
  const close = () => (isDirty ? setIsLeaving(true) : onClose())
  useCombination('$mod+s', () => void save())
  useBeforeUnload((event) => {
    if (isDirty) event.preventDefault()
  })

  return (
    <Modal
      opened
      onClose={close}
      size="min(60rem, calc(100vw - 40px))"
      classNames={{ content: classes.overlay ?? '', body: classes.overlayBody ?? '' }}
      styles={{ content: { maxBlockSize: 'none' } }}
      closeButtonProps={{ 'aria-label': text('common.Close') }}
      title={
        <span className={classes.overlayTitle}>
          {text('server.AdminDefinitionOf', { name })}
          {isDirty && <Badge>{text('server.AdminModified')}</Badge>}
        </span>
      }
    >
      <div className={classes.overlayBar}>
        <SegmentedControl
          aria-label={text('server.AdminMode')}
          size="xs"
          value={mode}
          onChange={(next) => void change(next as Mode)}
          data={[
            { value: 'editor', label: text('server.AdminEditor') },
            { value: 'json', label: text('server.AdminJson') },
          ]}
        />
        <span className={classes.grow} />
        <Button variant="subtle" color="gray" onClick={close}>
          {text('common.Cancel')}
        </Button>
        <Button loading={isSaving} disabled={!isDirty} onClick={() => void save()}>
          {text('common.Save')}
        </Button>
      </div>
      {wrong && (
        <Notice kind="error">
          {wrong.line === undefined
            ? text('errors.ErrInvalidJson')
            : text('server.AdminInvalidJsonAt', { line: wrong.line })}
        </Notice>
      )}
      {isStale && (
        <Notice
          kind="warning"
          urgent
          action={
            <>
              <Button size="xs" variant="default" onClick={() => void onReload().then(begin, tell)}>
                {text('server.Reload')}
              </Button>
              <Button size="xs" variant="default" onClick={() => void save(true)}>
                {text('server.Overwrite')}
              </Button>
            </>
          }
        >
          {text('server.AdminStale')}
        </Notice>
      )}
      {mode === 'json' ? (
        <Suspense fallback={<div className={classes.code} aria-busy="true" />}>
          <JsonEditor
            label={text('server.AdminJson')}
            value={json}
            onChange={(value) => {
              setJson(value)
              setWrong(undefined)
            }}
            {...(wrong?.line === undefined ? {} : { line: wrong.line })}
          />
        </Suspense>
      ) : (
        <Fields definition={definition} form={form} onChange={(part) => setForm({ ...form, ...part })} />
      )}
      <Modal
        opened={isLeaving}
        onClose={() => setIsLeaving(false)}
        title={text('server.AdminSaveChanges')}
        withCloseButton={false}
      >
        <p className={classes.quiet}>{text('server.AdminClosingDiscards')}</p>
        <div className={classes.leaving}>
          <Button variant="subtle" color="red" onClick={onClose}>
            {text('server.AdminCloseWithoutSaving')}
          </Button>
          <span className={classes.grow} />
          <Button variant="subtle" color="gray" onClick={() => setIsLeaving(false)}>
            {text('server.AdminKeepEditing')}
          </Button>
          <Button
            data-autofocus
            onClick={() => {
              setIsLeaving(false)
              void save()
            }}
          >
            {text('common.Save')}
          </Button>
        </div>
      </Modal>
    </Modal>
  )
}

interface FieldsProps {
  readonly form: DefinitionForm
  readonly onChange: (part: Partial<DefinitionForm>) => void
}

function Fields({ definition, form, onChange }: FieldsProps & { readonly definition: Raw }) {
  const text = useText()
  const known: readonly string[] = environmentTypes
  const types = known.includes(form.environment) ? known : [...known, form.environment]
  return (
    <div className={classes.fields}>
      <section aria-label={text('server.AdminRun')}>
        <h3>{text('server.AdminRun')}</h3>
        {form.command === undefined ? (
          <Notice kind="info">{text('server.AdminSeveralCommands')}</Notice>
        ) : (
          <Textarea
            label={text('server.AdminCommand')}
            autosize
            minRows={2}
            dir="ltr"
            spellCheck={false}
            classNames={{ input: classes.mono ?? '' }}
            value={form.command}
            onChange={(event) => onChange({ command: event.currentTarget.value })}
          />
        )}
        <TextInput
          label={text('server.AdminWorkingDirectory')}
          description={text('server.AdminBelowFolder')}
          inputWrapperOrder={['label', 'input', 'description']}
          dir="ltr"
          spellCheck={false}
          value={form.workingDirectory}
          onChange={(event) => onChange({ workingDirectory: event.currentTarget.value })}
        />
        <Select
          label={text('server.AdminEnvironment')}
          data={[...types]}
          value={form.environment}
          onChange={(type) => onChange(withEnvironment(definition, type ?? 'standard'))}
        />
      </section>
      {form.docker && <Container docker={form.docker} onChange={(docker) => onChange({ docker })} />}
      <section aria-label={text('server.AdminShutdown')}>
        <h3>{text('server.AdminShutdown')}</h3>
        <SegmentedControl
          size="xs"
          aria-label={text('server.AdminStopBy')}
          value={form.stopBy}
          onChange={(stopBy) => onChange({ stopBy: stopBy === 'signal' ? 'signal' : 'command' })}
          data={[
            { value: 'command', label: text('server.AdminStopCommand') },
            { value: 'signal', label: text('server.AdminStopSignal') },
          ]}
        />
        {form.stopBy === 'command' ? (
          <TextInput
            label={text('server.AdminStopCommandText')}
            dir="ltr"
            spellCheck={false}
            value={form.stop}
            onChange={(event) => onChange({ stop: event.currentTarget.value })}
          />
        ) : (
          <TextInput
            label={text('server.AdminStopSignalNumber')}
            description={text('server.AdminSignalHint')}
            inputWrapperOrder={['label', 'input', 'description']}
            inputMode="numeric"
            dir="ltr"
            value={form.signal}
            onChange={(event) => onChange({ signal: event.currentTarget.value.replace(/\D/g, '') })}
          />
        )}
      </section>
      <section aria-label={text('server.AdminEnvironmentVariables')}>
        <h3>{text('server.AdminEnvironmentVariables')}</h3>
        <Variables form={form} onChange={onChange} />
      </section>
    </div>
  )
}

interface ContainerProps {
  readonly docker: DockerForm
  readonly onChange: (docker: DockerForm) => void
}

function Container({ docker, onChange }: ContainerProps) {
  const text = useText()
  const objections = objectionsToDocker(docker)
  const problemAt = (field: string) => {
    const code = objections.get(field)
    if (code === undefined) return undefined
    if (field.startsWith('port-')) return text('docker.Wrong_port')
    if (field.startsWith('binding-')) return text('docker.Wrong_path')
    return text(`errors.${code}`, { field: text(field === 'image' ? 'docker.Image' : 'docker.NetworkName') })
  }
  return (
    <section aria-label={text('docker.Container')}>
      <h3>{text('docker.Container')}</h3>
      <DockerFields form={docker} problemAt={problemAt} onChange={(part) => onChange({ ...docker, ...part })} />
    </section>
  )
}

function Variables({ form, onChange }: FieldsProps) {
  const text = useText()
  const { variables } = form
  const edit = (key: number, part: { name?: string; value?: string }) =>
    onChange({ variables: variables.map((row) => (row.key === key ? { ...row, ...part } : row)) })
  return (
    <>
      {variables.map((row) => (
        <div key={row.key} className={classes.pair}>
          <TextInput
            aria-label={text('server.AdminVariableName')}
            placeholder={text('server.AdminVariableName')}
            dir="ltr"
            spellCheck={false}
            classNames={{ input: classes.mono ?? '' }}
            value={row.name}
            onChange={(event) => edit(row.key, { name: event.currentTarget.value })}
          />
          <TextInput
            aria-label={text('server.AdminVariableValue', { name: row.name })}
            placeholder={text('server.AdminValue')}
            dir="ltr"
            spellCheck={false}
            classNames={{ input: classes.mono ?? '' }}
            value={row.value}
            onChange={(event) => edit(row.key, { value: event.currentTarget.value })}
          />
          <ActionIcon
            aria-label={text('server.AdminRemoveVariable', { name: row.name })}
            onClick={() => onChange({ variables: variables.filter(({ key }) => key !== row.key) })}
          >
            <IconX size={16} aria-hidden />
          </ActionIcon>
        </div>
      ))}
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlus size={16} aria-hidden />}
        onClick={() => onChange({ variables: [...variables, { key: nextKey++, name: '', value: '' }] })}
      >
        {text('server.AdminAddVariable')}
      </Button>
    </>
  )
}
