import { getData, putData } from '@innkeeper/contract/node-servers'
import { booleanOf, objectionTo, textOf } from '@innkeeper/contract/variables'
import { Button, Select, Switch, TextInput } from '@mantine/core'
import { IconAdjustments, IconDeviceFloppy } from '@tabler/icons-react'
import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, use, useState } from 'react'
import { useBeforeUnload } from 'react-router'
import { isRefusal, request } from '../../api/request.ts'
import { keyOf, useCall } from '../../api/use-call.ts'
import { TellRefusalContext, useSend } from '../../api/use-send.ts'
import { useCombination } from '../../hotkeys/hotkeys.tsx'
import { useFormats, useText } from '../../i18n/text.tsx'
import { EmptyState, LoadFailure } from '../../ui/empty-state.tsx'
import { Notice } from '../../ui/notice.tsx'
import { fieldOf, messageOf } from '../../ui/refusal.tsx'
import { Badge, Card, Keys } from '../../ui/small.tsx'
import { toast } from '../../ui/toast.tsx'
import { Description } from './description.tsx'
import { changedIn, changedMeanwhile, currentOf, type Field, fieldsOf, type Typed, valuesToSend } from './fields.ts'
import classes from './server-settings.module.css'

/** The editable variables of a server. */
export function ServerSettings({ id, isAdmin }: { id: string; isAdmin: boolean }) {
  const text = useText()
  const given = { params: { id } }
  const data = useCall(getData, given, { refetchOnWindowFocus: false })

  if (data.isPending) return <SettingsSkeleton />
  if (data.isError) {
    return <LoadFailure title={text('server.SettingsNotLoaded')} error={data.error} again={() => void data.refetch()} />
  }
  const fields = fieldsOf(data.data.data, isAdmin)
  if (fields.length === 0) {
    return <EmptyState icon={<IconAdjustments size={24} aria-hidden />} title={text('server.SettingsNone')} />
  }
  return <SettingsForm id={id} isAdmin={isAdmin} fields={fields} />
}

interface SettingsFormProps {
  readonly id: string
  readonly isAdmin: boolean
  readonly fields: readonly Field[]
}

function SettingsForm({ id, isAdmin, fields }: SettingsFormProps) {
  const text = useText()
  const { number } = useFormats()
  const tell = use(TellRefusalContext)
  const queries = useQueryClient()
  const put = useSend(putData, { quiet: true, refreshes: [getData] })
  const [typed, setTyped] = useState<Typed>({})
  const [objections, setObjections] = useState<Readonly<Record<string, string>>>({})
  const [meanwhile, setMeanwhile] = useState<readonly Field[]>([])
  const [checking, setChecking] = useState(false)
  const changed = changedIn(fields, typed)
  const given = { params: { id } }

  const judge = (field: Field, value: string) => {
    const objection = objectionTo(field.label, field.variable, value)
    const { [field.name]: _, ...others } = objections
    setObjections(objection ? { ...others, [field.name]: messageOf(text, objection) } : others)
    return objection
  }
  const change = (field: Field, value: string) => {
    setTyped({ ...typed, [field.name]: value })
    if (objections[field.name] !== undefined) judge(field, value)
  }
  const discard = () => {
    setTyped({})
    setObjections({})
    setMeanwhile([])
  }
  const save = async (over = false) => {
    if (changed.length === 0 || put.pending || checking) return
    const wrong = changed.flatMap((field) => {
      const objection = objectionTo(field.label, field.variable, currentOf(field, typed))
      return objection ? [[field.name, messageOf(text, objection)] as const] : []
    })
    setObjections(Object.fromEntries(wrong))
    if (wrong[0]) return focusField(wrong[0][0])
    try {
      setChecking(true)
      if (!over) {
        const { data } = await request(getData, given)
        const others = changedMeanwhile(fields, fieldsOf(data, isAdmin))
        if (others.length > 0) return setMeanwhile(others)
      }
      await put.send({ ...given, body: { data: valuesToSend(fields, typed) } })
      discard()
      toast.success(text('common.Saved'))
    } catch (refusal) {
      const field = fields.find(({ name }) => name === fieldOf(refusal)?.replace(/^data\.|\.value$/g, ''))
      if (!field || !isRefusal(refusal)) return tell(refusal)
      setObjections({ [field.name]: messageOf(text, refusal) })
      focusField(field.name)
    } finally {
      setChecking(false)
    }
  }
  const reload = async () => {
    discard()
    await queries.invalidateQueries({ queryKey: keyOf(getData, given) })
  }
  useCombination('$mod+s', () => void save())
  useBeforeUnload((event) => {
    if (changed.length > 0) event.preventDefault()
  })

  const row = (field: Field) => (
    <VariableField
      key={field.name}
      field={field}
      value={currentOf(field, typed)}
      objection={objections[field.name]}
      onChange={(value) => change(field, value)}
      onLeave={() => judge(field, currentOf(field, typed))}
    />
  )
  const guarded = fields.filter((field) => field.isGuarded)
  return (
    <form
      noValidate
      className={classes.form}
      onSubmit={(event) => {
        event.preventDefault()
        void save()
      }}
    >
      <Card>
        <div className={classes.head}>
          <h2>{text('server.SettingsTitle')}</h2>
          <span>{text('server.SettingsCount', { count: fields.length })}</span>
        </div>
        {meanwhile.length > 0 && (
          <div className={classes.notice}>
            <Notice
              kind="warning"
              urgent
              action={
                <>
                  <Button size="xs" variant="default" onClick={() => void reload()}>
                    {text('server.Reload')}
                  </Button>
                  <Button
                    size="xs"
                    variant="default"
                    onClick={() => {
                      setMeanwhile([])
                      void save(true)
                    }}
                  >
                    {text('server.Overwrite')}
                  </Button>
                </>
              }
            >
              {text('server.SettingsChangedMeanwhile', { fields: meanwhile.map(({ label }) => label).join(', ') })}
            </Notice>
          </div>
        )}
        <div className={classes.grid}>{fields.filter((field) => !field.isGuarded).map(row)}</div>
        {guarded.length > 0 && (
          <>
            <div className={classes.divider}>
              <Badge>{text('server.SettingsOnlyAdministrators')}</Badge>
            </div>
            <div className={classes.grid}>{guarded.map(row)}</div>
          </>
        )}
        <div className={classes.bar} data-dirty={changed.length > 0 || undefined}>
          <span role="status" className={classes.changes}>
            {changed.length > 0 &&
              text('server.SettingsUnsaved', { count: changed.length, changes: number(changed.length) })}
          </span>
          <Button variant="subtle" color="gray" disabled={changed.length === 0} onClick={discard}>
            {text('common.Discard')}
          </Button>
          <Button
            type="submit"
            disabled={changed.length === 0}
            loading={put.pending || checking}
            leftSection={<IconDeviceFloppy size={17} aria-hidden />}
          >
            {text('common.Save')}
            <span className={classes.keys} aria-hidden="true">
              <Keys keys="Ctrl S" />
            </span>
          </Button>
        </div>
      </Card>
    </form>
  )
}

interface VariableFieldProps {
  readonly field: Field
  readonly value: string
  readonly objection: string | undefined
  readonly onChange: (value: string) => void
  readonly onLeave: () => void
}

const longText = 40

function VariableField({ field, value, objection, onChange, onLeave }: VariableFieldProps) {
  const text = useText()
  const { variable } = field
  const isLong = field.type === 'string' && field.held.length > longText
  const shared = {
    name: field.name,
    label: field.label,
    withAsterisk: variable.required === true && field.type !== 'boolean',
    error: objection,
    description: variable.desc ? ((<Description markup={variable.desc} />) as ReactNode) : undefined,
    inputWrapperOrder: ['label', 'input', objection ? 'error' : 'description'] as (
      | 'label'
      | 'input'
      | 'error'
      | 'description'
    )[],
    onBlur: onLeave,
  }
  if (field.type === 'boolean') {
    const isOn = booleanOf(value) ?? false
    return (
      <div className={classes.switch}>
        <Switch
          name={field.name}
          label={field.label}
          description={shared.description}
          error={objection}
          checked={isOn}
          onChange={(event) => onChange(String(event.currentTarget.checked))}
        />
      </div>
    )
  }
  if (field.type === 'option') {
    const options = (variable.options ?? []).map((option) => ({
      value: textOf(option.value),
      label: option.display || textOf(option.value),
    }))
    const known = options.some((option) => option.value === value)
    return (
      <Select
        {...shared}
        data={known || value === '' ? options : [...options, { value, label: value }]}
        value={value}
        placeholder={text('server.SettingsChoose')}
        onChange={(chosen) => onChange(chosen ?? '')}
        clearable={variable.required !== true}
        searchable={options.length > 10}
      />
    )
  }
  return (
    <TextInput
      {...shared}
      className={isLong ? classes.wide : undefined}
      classNames={isLong ? { input: classes.mono ?? '' } : {}}
      inputMode={field.type === 'integer' ? 'numeric' : 'text'}
      dir={field.type === 'integer' ? 'ltr' : 'auto'}
      autoComplete="off"
      spellCheck={false}
      value={value}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  )
}

function focusField(name: string): void {
  document.querySelector<HTMLElement>(`[name="${CSS.escape(name)}"]`)?.focus()
}

function SettingsSkeleton() {
  const text = useText()
  return (
    <Card className={classes.form}>
      <div className={classes.head}>
        <h2>{text('server.SettingsTitle')}</h2>
      </div>
      <div className={classes.grid} aria-busy="true">
        {[1, 2, 3, 4].map((place) => (
          <span key={place} className={classes.skeleton} />
        ))}
      </div>
    </Card>
  )
}
